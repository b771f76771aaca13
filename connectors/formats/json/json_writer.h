#pragma once
#include <cstdint>
#include <string_view>

#include "connectors/formats/json/json_options.h"
#include "runtime/data/column.h"

namespace weir {

/// Writes single values as JSON, compact: into memory that the caller has reserved (bound), without a check per byte. Every
/// function writes at `to` and returns the end; up to 16 bytes behind it may be overwritten. Not thread-safe.
class JsonWriter {
 public:
  explicit JsonWriter(TimestampFormat timestamp) : timestamp_(timestamp) {}

  /// The longest that a value of the type can be, where that does not depend on the value; 0 for text and nested types.
  static std::size_t fixed_bound(const Type& type);
  /// The longest that a text of so many bytes, or `null`, can be.
  static std::size_t text_bound(std::size_t bytes) { return bytes * 6 + 4; }
  /// The longest that row i of the column can be.
  static std::size_t bound(const Column& column, std::int64_t i);

  /// Row i of any column.
  char* write(char* to, const Column& column, std::int64_t i);

  static char* write_text(char* to, std::string_view text);
  static char* write_bigint(char* to, std::int64_t value);
  /// The shortest digits that read back as the same double: `120`, `0.1`, `1e+15`, `"NaN"`.
  static char* write_double(char* to, double value);
  static char* write_decimal(char* to, Int128 value, int scale);
  static char* write_bytea(char* to, std::string_view bytes);
  /// A JSON text without the white space between its tokens, so that it is one line.
  static char* write_json(char* to, std::string_view json);
  char* write_date(char* to, std::int32_t days);
  char* write_timestamp(char* to, std::int64_t micros);

  /// Copies `text` and maybe some bytes more; both sides must have 16 bytes to spare.
  static char* copy_short(char* to, const char* text, std::size_t n) {
    std::memcpy(to, text, 16);
    if (n > 16) [[unlikely]]
      std::memcpy(to + 16, text + 16, n - 16);
    return to + n;
  }

 private:
  char* write_point_in_time(char* to, std::int64_t micros, char between);
  char* write_row(char* to, const Column& column, std::int64_t i);
  char* write_list(char* to, const Column& column, std::int64_t i);

  TimestampFormat timestamp_;
  // The date that was written last: event times of neighbouring rows nearly always share it.
  std::int64_t day_ = INT64_MIN;
  char date_[16] = {};
  std::size_t date_size_ = 0;
};

}  // namespace weir
