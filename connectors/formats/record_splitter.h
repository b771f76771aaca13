#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace weir {

/// How records follow one another in a file.
enum class RecordFraming {
  kLines,          ///< each ends with a line feed; an empty line is an empty record
  kNonEmptyLines,  ///< the same, but `\r` before the line feed is left out and so are empty lines
  kCsv,            ///< likewise, but a line feed between double quotes does not end a record
};

/// Cuts a stream of bytes into records. Remembers how far it looked, so that a long record that comes in many pieces is
/// looked at once. Not thread-safe.
class RecordSplitter {
 public:
  explicit RecordSplitter(RecordFraming framing) : framing_(framing) {}

  struct Piece {
    std::size_t consumed;                    ///< bytes of the input that this is, terminator included
    std::optional<std::string_view> record;  ///< nothing for a line that is left out
  };
  /// The next piece of `bytes`, which begin where the last piece ended. Nothing when its end is not there yet: call again
  /// with the same bytes and more behind them. With `last` no more come, and what is left is a record.
  std::optional<Piece> next(std::string_view bytes, bool last);

 private:
  RecordFraming framing_;
  std::size_t looked_ = 0;  ///< bytes of the record that is not there yet
  bool in_quotes_ = false;
};

}  // namespace weir
