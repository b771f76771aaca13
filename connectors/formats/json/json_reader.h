#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "connectors/formats/json/json_cursor.h"
#include "connectors/formats/json/json_names.h"
#include "connectors/formats/json/json_options.h"
#include "runtime/data/column.h"

namespace weir {

class JsonObjectReader;

/// Appends JSON values of one field to its column. Holds what is fixed by the field's type, and what its rows within learnt
/// about their members' order. Not thread-safe.
class JsonFieldReader {
 public:
  JsonFieldReader(const Field& field, const JsonOptions& options);
  JsonFieldReader(JsonFieldReader&&) noexcept;
  ~JsonFieldReader();

  const std::string& name() const { return name_; }
  bool nullable() const { return nullable_; }
  /// Appends the value at the cursor, and steps over it. False leaves the reason in the cursor and the column as it was.
  bool read(JsonCursor& c, ColumnBuilder& out);

 private:
  bool read_null(JsonCursor& c, ColumnBuilder& out);
  bool read_boolean(JsonCursor& c, ColumnBuilder& out);
  bool read_whole(JsonCursor& c, ColumnBuilder& out);
  bool read_double_value(JsonCursor& c, ColumnBuilder& out);
  bool read_decimal(JsonCursor& c, ColumnBuilder& out);
  bool read_varchar(JsonCursor& c, ColumnBuilder& out);
  bool read_json(JsonCursor& c, ColumnBuilder& out);
  bool read_bytea(JsonCursor& c, ColumnBuilder& out);
  bool read_date(JsonCursor& c, ColumnBuilder& out);
  bool read_timestamp(JsonCursor& c, ColumnBuilder& out);
  bool read_interval(JsonCursor& c, ColumnBuilder& out);
  bool read_array(JsonCursor& c, ColumnBuilder& out);
  bool read_map(JsonCursor& c, ColumnBuilder& out);

  bool find_map_members(JsonCursor& c);
  bool append_text_value(JsonCursor& c, Buffer& out);
  /// The text at the cursor with its escapes resolved; valid until the next call. Nothing if it is no text, or a broken one.
  std::optional<std::string_view> text(JsonCursor& c);
  bool mismatch(JsonCursor& c, const char* at) { return c.mismatch(at, type_.name()); }

  std::string name_;
  Type type_;
  TypeKind kind_;
  bool nullable_;
  TimestampFormat timestamp_;
  Buffer scratch_;

  /// The members of the map being read. A map within a map has a reader, and so members, of its own.
  struct MapMember {
    std::size_t key_begin, key_end;  ///< in map_keys_
    const std::uint32_t* value;
    bool repeated;
  };
  std::vector<MapMember> members_;
  Buffer map_keys_;
  std::unique_ptr<JsonObjectReader> row_;
  std::unique_ptr<JsonFieldReader> element_;
};

/// Reads the members of an object into one column each.
class JsonObjectReader {
 public:
  JsonObjectReader(const std::vector<Field>& fields, const JsonOptions& options);

  /// Appends one value to each of `columns`. False leaves the reason in the cursor and the columns as they were.
  bool read(JsonCursor& c, std::span<ColumnBuilder> columns);

 private:
  bool read_members(JsonCursor& c, std::span<ColumnBuilder> columns, std::int64_t rows);
  bool read_field(JsonCursor& c, std::span<ColumnBuilder> columns, std::size_t field, std::int64_t rows);
  bool skip_unknown(JsonCursor& c, const char* name);
  bool find_escaped(JsonCursor& c, int& field);
  bool fill_missing(JsonCursor& c, std::span<ColumnBuilder> columns, std::int64_t rows);

  JsonNames names_;
  std::vector<JsonFieldReader> fields_;
  bool ignore_unknown_;
  bool missing_fails_;
};

}  // namespace weir
