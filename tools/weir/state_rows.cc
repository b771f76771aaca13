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

}  // namespace

std::string row_count_text(std::uint64_t rows) { return fmt::format("{}{}", rows > kCountedRows ? "~" : "", rows); }

TableRows::TableRows(const ManifestTable& table)
    : table_(parse_table_schema(table.name, table.schema)), window_(builders_of(table_.window)), key_(builders_of(table_.key)),
      value_(builders_of(table_.value)), window_size_(table_.window.size() * window_name(0).size()) {}

std::string TableRows::key(std::string_view stored) {
  if (stored.size() < window_size_ + 1)
    throw Error(Blame::kRefused, fmt::format("table {}: a key of {} bytes is too short to be one", table_.name, stored.size()));
  if (!window_.empty()) decode_key(stored.substr(0, window_size_), window_);
  decode_key(stored.substr(window_size_ + 1), key_);  // one byte between them is the key group
  std::vector<const Field*> fields;
  std::vector<ColumnBuilder> both;
  for (std::size_t i = 0; i < key_.size(); ++i) fields.push_back(&table_.key[i]), both.push_back(std::move(key_[i]));
  for (std::size_t i = 0; i < window_.size(); ++i) fields.push_back(&table_.window[i]), both.push_back(std::move(window_[i]));
  const std::string text = object(fields, both);
  for (std::size_t i = 0; i < key_.size(); ++i) key_[i] = std::move(both[i]);
  for (std::size_t i = 0; i < window_.size(); ++i) window_[i] = std::move(both[key_.size() + i]);
  return text;
}

std::string TableRows::value(std::string_view stored) {
  decode_row(stored, value_);
  std::vector<const Field*> fields;
  for (const Field& f : table_.value) fields.push_back(&f);
  return object(fields, value_);
}

std::string TableRows::object(const std::vector<const Field*>& fields, std::vector<ColumnBuilder>& builders) {
  std::string text = "{";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i) text += ',';
    append_json_string(text, fields[i]->name);
    text += ':';
    append_json(text, *builders[i].finish(), 0);
  }
  return text + "}";
}

}  // namespace weir
