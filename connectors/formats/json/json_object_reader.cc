#include "connectors/formats/json/json_reader.h"

namespace weir {

namespace {

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& f : fields) names.push_back(f.name);
  return names;
}

/// A value that needs no more looking at than this: a text without escapes, `null`.
bool is_one_token(const char* p, bool escapes) {
  return (*p == '"' && !escapes) || (load4(p) == load4("null") && is_json_delimiter(p[4]));
}

}  // namespace

JsonObjectReader::JsonObjectReader(const std::vector<Field>& fields, const JsonOptions& options)
    : names_(names_of(fields)), ignore_unknown_(options.ignore_unknown), missing_fails_(options.missing_fails) {
  for (const Field& f : fields) fields_.emplace_back(f, options);
}

bool JsonObjectReader::read(JsonCursor& c, std::span<ColumnBuilder> columns) {
  const std::int64_t rows = columns[0].size();
  if (read_members(c, columns, rows) && fill_missing(c, columns, rows)) [[likely]]
    return true;
  for (ColumnBuilder& column : columns)
    if (column.size() > rows) column.pop();
  return false;
}

bool JsonObjectReader::read_members(JsonCursor& c, std::span<ColumnBuilder> columns, std::int64_t rows) {
  c.step();  // over the {
  if (c.now() == '}') return c.step(), true;
  // The place is kept here, not in the cursor, so that it stays in a register over what is skipped.
  const char* const base = c.base();
  const bool escapes = c.escapes();
  const std::uint32_t* at = c.place();
  for (std::size_t place = 0;; ++place) {
    const char* name = base + *at;
    int field = *name == '"' ? names_.find(name + 1, place) : JsonNames::kEscaped;
    if (field == JsonNames::kEscaped) [[unlikely]] {
      c.rewind(at);
      if (!find_escaped(c, field)) return false;
    }
    if (base[at[1]] != ':') [[unlikely]]
      return c.rewind(at + 1), c.syntax("`:`");
    at += 2;
    if (field == JsonNames::kUnknown && ignore_unknown_ && is_one_token(base + *at, escapes)) {
      ++at;
    } else {
      c.rewind(at);
      if (field == JsonNames::kUnknown ? !skip_unknown(c, name)
                                       : !read_field(c, columns, static_cast<std::size_t>(field), rows))
        return false;
      at = c.place();
    }
    const char next = base[*at];
    if (next == ',') [[likely]] {
      ++at;
      continue;
    }
    c.rewind(at);
    return next == '}' ? (c.step(), true) : c.syntax("`,` or `}`");
  }
}

bool JsonObjectReader::read_field(JsonCursor& c, std::span<ColumnBuilder> columns, std::size_t field, std::int64_t rows) {
  ColumnBuilder& column = columns[field];
  if (column.size() > rows) [[unlikely]]
    column.pop();  // of several members with one name the last counts
  return fields_[field].read(c, column) || c.inside(fields_[field].name());
}

bool JsonObjectReader::skip_unknown(JsonCursor& c, const char* name) {
  if (ignore_unknown_) return c.skip();
  std::string shown = describe_json(name).substr(std::string_view("text ").size());
  return c.fail(name, fmt::format("unknown member {} (`ignore_unknown` is false)", shown));
}

bool JsonObjectReader::find_escaped(JsonCursor& c, int& field) {
  if (c.now() != '"') return c.syntax("the name of a member");
  Buffer name;
  JsonEscapeError error;
  if (!append_unescaped(name, c.raw_text(), error))
    return c.fail(error.at, fmt::format("{} at byte {}", error.text, c.offset(error.at)));
  field = names_.find({name.as<char>(), name.size()});
  return true;
}

bool JsonObjectReader::fill_missing(JsonCursor& c, std::span<ColumnBuilder> columns, std::int64_t rows) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].size() > rows) [[likely]]
      continue;
    if (missing_fails_ || !fields_[i].nullable()) {
      c.fail(c.before(), missing_fails_ ? "missing" : "missing, and declared not null");
      return c.inside(fields_[i].name());
    }
    columns[i].append_null();
  }
  return true;
}

}  // namespace weir
