#include "connectors/formats/json_reader.h"

namespace weir {

namespace {

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& f : fields) names.push_back(f.name);
  return names;
}

}  // namespace

JsonObjectReader::JsonObjectReader(const std::vector<Field>& fields, const JsonOptions& options)
    : names_(names_of(fields)), ignore_unknown_(options.ignore_unknown), missing_fails_(options.missing_fails) {
  for (const Field& f : fields) fields_.emplace_back(f, options);
}

bool JsonObjectReader::read(JsonCursor& c, std::span<ColumnBuilder> columns) {
  const std::int64_t rows = columns[0].size();
  if (read_members(c, columns, rows) && fill_missing(c, columns, rows)) [[likely]] return true;
  for (ColumnBuilder& column : columns)
    if (column.size() > rows) column.pop();
  return false;
}

bool JsonObjectReader::read_members(JsonCursor& c, std::span<ColumnBuilder> columns, std::int64_t rows) {
  c.step();  // over the {
  if (c.now() == '}') return c.step(), true;
  for (std::size_t place = 0;; ++place) {
    if (!read_member(c, columns, place, rows)) return false;
    const char next = c.now();
    if (next != ',' && next != '}') [[unlikely]] return c.syntax("`,` or `}`");
    c.step();
    if (next == '}') return true;
  }
}

bool JsonObjectReader::read_member(JsonCursor& c, std::span<ColumnBuilder> columns, std::size_t place, std::int64_t rows) {
  if (c.now() != '"') [[unlikely]] return c.syntax("the name of a member");
  const char* name = c.here() + 1;
  int field = names_.find(name, place);
  if (field == JsonNames::kEscaped && !find_escaped(c, field)) return false;
  c.step();
  if (c.now() != ':') [[unlikely]] return c.syntax("`:`");
  c.step();
  if (field == JsonNames::kUnknown) return skip_unknown(c, name);
  const auto i = static_cast<std::size_t>(field);
  ColumnBuilder& column = columns[i];
  if (column.size() > rows) [[unlikely]] column.pop();  // of several members with one name the last counts
  return fields_[i].read(c, column) || c.inside(fields_[i].name());
}

bool JsonObjectReader::skip_unknown(JsonCursor& c, const char* name) {
  if (ignore_unknown_) return c.skip();
  std::string shown = describe_json(name - 1).substr(std::string_view("text ").size());
  return c.fail(name, fmt::format("unknown member {} (`ignore_unknown` is false)", shown));
}

bool JsonObjectReader::find_escaped(JsonCursor& c, int& field) {
  Buffer name;
  JsonEscapeError error;
  if (!append_unescaped(name, c.raw_text(), error)) return c.fail(error.at, fmt::format("{} at byte {}", error.text, c.offset(error.at)));
  field = names_.find({name.as<char>(), name.size()});
  return true;
}

bool JsonObjectReader::fill_missing(JsonCursor& c, std::span<ColumnBuilder> columns, std::int64_t rows) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].size() > rows) [[likely]] continue;
    if (missing_fails_ || !fields_[i].nullable()) {
      c.fail(c.before(), missing_fails_ ? "missing" : "missing, and declared not null");
      return c.inside(fields_[i].name());
    }
    columns[i].append_null();
  }
  return true;
}

}  // namespace weir
