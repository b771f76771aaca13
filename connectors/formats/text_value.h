#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "connectors/formats/json/json_reader.h"
#include "connectors/formats/json/json_tokens.h"
#include "runtime/data/column.h"

namespace weir {

/// Reads values of one type from plain text by PostgreSQL's input rules; json, rows, arrays and maps from JSON. Not
/// thread-safe.
class TextValueReader {
 public:
  explicit TextValueReader(const Field& field);

  /// Appends the value. False leaves the column as it was and `reason` says what was expected and found.
  bool read(std::string_view text, ColumnBuilder& out, std::string& reason);

 private:
  bool read_from_json(std::string_view text, ColumnBuilder& out, std::string& reason);
  bool read_any_json(ColumnBuilder& out);
  bool read_time(std::string_view text, ColumnBuilder& out);

  // Only for the types that are read from JSON.
  std::unique_ptr<JsonFieldReader> json_;
  std::unique_ptr<JsonTokens> tokens_;
  bool any_json_ = false;
  bool is_time_ = false;
  JsonCursor cursor_;
};

}  // namespace weir
