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
  /// A quote of kCsv that is not closed within `longest_quoted` bytes, or at all, is no beginning of a long field but a
  /// mistake: its record ends with the line in which it opens.
  explicit RecordSplitter(RecordFraming framing, std::size_t longest_quoted = kLongestQuoted)
      : framing_(framing), longest_quoted_(longest_quoted) {}
  static constexpr std::size_t kLongestQuoted = 64 << 20;

  struct Piece {
    std::size_t consumed;                    ///< bytes of the input that this is, terminator included
    std::optional<std::string_view> record;  ///< nothing for a line that is left out
    bool open = false;                       ///< the input ended before a quote of the record was closed
  };
  /// The next piece of `bytes`, which begin where the last piece ended. Nothing when its end is not there yet: call again
  /// with the same bytes and more behind them. With `last` no more come, and what is left is a record.
  std::optional<Piece> next(std::string_view bytes, bool last);

 private:
  /// The record that is not there yet, as far as it was looked at.
  struct Progress {
    std::size_t looked = 0;  ///< bytes
    bool in_quotes = false;
    std::size_t opened = 0;  ///< the last opening quote
    std::size_t closed = 0;  ///< behind the last closing quote; 0: none
    bool gave_up = false;    ///< the quote is not closed: the record ends with the line
  };
  std::size_t end_of_line(std::string_view bytes);
  std::size_t end_of_csv(std::string_view bytes, bool last);
  bool begins_field(std::string_view bytes, std::size_t at) const;

  RecordFraming framing_;
  std::size_t longest_quoted_;
  Progress progress_;
};

}  // namespace weir
