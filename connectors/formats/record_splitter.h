#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace weir {

/// How records follow one another in a file.
struct RecordFraming {
  enum Kind {
    kLines,          ///< each ends with a line feed; an empty line is an empty record
    kNonEmptyLines,  ///< the same, but `\r` before the line feed is left out and so are empty lines
    kCsv,            ///< likewise, but a line feed in a field that begins with a double quote does not end a record
  };
  RecordFraming(Kind k, char between_fields = ',') : kind(k), delimiter(between_fields) {}
  bool operator==(const RecordFraming&) const = default;

  Kind kind;
  char delimiter;  ///< of the fields of kCsv
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
  std::size_t end_of_csv(std::string_view bytes);
  bool begins_field(std::string_view bytes, std::size_t at) const;

  RecordFraming framing_;
  std::size_t looked_ = 0;  ///< bytes of the record that is not there yet
  bool in_quotes_ = false;
  std::size_t closed_ = 0;  ///< behind the last closing quote; 0: none
};

}  // namespace weir
