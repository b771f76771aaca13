#include "tools/weir/state_rows.h"

#include "runtime/base/error.h"
#include "runtime/data/json_text.h"
#include "runtime/data/key_codec.h"
#include "runtime/state/row_codec.h"
#include "runtime/state/row_count.h"

namespace weir {

namespace {

std::vector<ColumnBuilder> builders_of(const std::vector<Field>& fields) {
  std::vector<ColumnBuilder> builders;
  for (const Field& f : fields) builders.emplace_back(f.type);
  return builders;
}

void append_name(std::string& text, std::string_view name) {
  text += text.empty() || text == "{" ? "" : ",";
  append_json_string(text, name);
  text += ':';
}

/// Appends the values in the builders, one each, as members of an object.
void append_members(std::string& text, const std::vector<Field>& fields, std::vector<ColumnBuilder>& builders) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    append_name(text, fields[i].name);
    append_json(text, *builders[i].finish(), 0);
  }
}

std::string text_json(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

std::string optional_json(const std::optional<std::int64_t>& value) { return value ? fmt::format("{}", *value) : "null"; }

}  // namespace

std::string row_count_text(std::uint64_t rows) { return fmt::format("{}{}", rows > kCountedRows ? "~" : "", rows); }

std::string object_text(const std::vector<JsonMember>& members) {
  std::string text = "{";
  for (const JsonMember& m : members) append_name(text, m.name), text += m.value;
  return text + "}";
}

const std::vector<Field>& split_key_fields() {
  static const std::vector<Field> fields{{"topic", Type::varchar()}, {"partition", Type::integer()}};
  return fields;
}

std::vector<JsonMember> split_key(const ManifestSplit& split) {
  return {{"topic", text_json(split.state.topic)}, {"partition", fmt::format("{}", split.state.partition)}};
}

std::vector<JsonMember> split_value(const ManifestSplit& split) {
  const SplitState& s = split.state;
  return {{"next_offset", fmt::format("{}", s.next)},
          {"end_offset", optional_json(split.end_offset)},
          {"end", optional_json(s.end)},
          {"ended", s.ended ? "true" : "false"},
          {"largest_time", s.largest_time ? text_json(format_iso(*s.largest_time)) : "null"}};
}

std::string stored_split_key(const ManifestSplit& split) {
  ColumnBuilder topic(Type::varchar()), partition(Type::integer());
  topic.append_text(split.state.topic);
  partition.append_int(split.state.partition);
  EncodedKeys keys;
  keys.encode(std::vector{topic.finish(), partition.finish()}, 1);
  return std::string(1, '\0').append(keys[0]);
}

TableRows::TableRows(const ManifestTable& table)
    : table_(parse_table_schema(table.name, table.schema)),
      window_(builders_of(table_.window)),
      key_(builders_of(table_.key)),
      value_(builders_of(table_.value)),
      window_size_(table_.window.size() * window_name(0).size()) {}

std::string TableRows::key(std::string_view stored) {
  if (stored.size() < window_size_ + 1)
    throw Error(Blame::kRefused,
                fmt::format("table {}: a key of {} bytes is too short to be one", table_.name, stored.size()));
  if (!window_.empty()) decode_key(stored.substr(0, window_size_), window_);
  const std::string_view key = stored.substr(window_size_ + 1);  // one byte between them is the key group
  if (table_.orders.empty()) decode_key(key, key_);
  else SuffixCodec::decode(key, table_.orders, key_);
  std::string text = "{";
  append_members(text, table_.key, key_);
  append_members(text, table_.window, window_);
  return text + "}";
}

std::string TableRows::value(std::string_view stored) {
  decode_row(stored, value_);
  std::string text = "{";
  append_members(text, table_.value, value_);
  return text + "}";
}

std::vector<JsonMember> TableRows::value_members(std::string_view stored) {
  decode_row(stored, value_);
  std::vector<JsonMember> members;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    members.push_back({table_.value[i].name, ""});
    append_json(members.back().value, *value_[i].finish(), 0);
  }
  return members;
}

}  // namespace weir
