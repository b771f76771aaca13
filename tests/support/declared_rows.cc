#include "tests/support/declared_rows.h"

#include <stdexcept>

#include "runtime/state/row_codec.h"

namespace weir {
namespace {

void require(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

std::vector<ColumnBuilder> builders_for(std::span<const Field> fields) {
  std::vector<ColumnBuilder> builders;
  for (const Field& f : fields) builders.emplace_back(f.type);
  return builders;
}

}  // namespace

DeclaredRows::DeclaredRows(const BoundStep& step) : step_(step), tables_(step.tables()) {
  if (tables_.empty()) return;
  const Exchange exchange = step.exchange(0);
  parts_ = exchange.keys.empty() ? exchange.columns.size() : exchange.keys.size();
  for (const TableDeclaration& table : tables_) {
    for (const auto* fields : {&table.window, &table.key, &table.value})
      for (const Field& f : *fields)
        require(!f.metadata, fmt::format("table {}: {} is declared as metadata", table.name, f.name));
  }
}

void DeclaredRows::check_exchange(int input, const Schema& schema) const {
  if (tables_.empty()) return;
  const Exchange exchange = step_.exchange(input);
  require(exchange.kind == Exchange::Kind::kHash, "has tables, and its rows do not come by hash of a key");
  std::vector<Type> types;
  for (const int column : exchange.columns) types.push_back(schema[column].type);
  if (!exchange.keys.empty()) types.clear();
  for (const ExpressionPtr& key : exchange.keys) types.push_back(key->type());
  for (const TableDeclaration& table : tables_) {
    bool same = table.key.size() >= types.size();
    for (std::size_t i = 0; same && i < types.size(); ++i) same = table.key[i].type == types[i];
    require(same, fmt::format("the key of table {} does not begin with the key by which rows of input {} come", table.name,
                              input));
  }
}

void DeclaredRows::check(std::size_t table, const TableDelta& delta) const {
  for (std::size_t i = 0; i < delta.size(); ++i) {
    if (!delta.at(i).value) continue;
    try {
      check_row(tables_.at(table), delta.at(i));
    } catch (const std::exception& e) {
      throw std::runtime_error(fmt::format("table {}: a row is not as declared: {}", tables_[table].name, e.what()));
    }
  }
}

void DeclaredRows::check_row(const TableDeclaration& table, const TableDelta::Entry& row) const {
  const std::size_t window_size = table.window.size() * window_name(0).size();
  require(row.key.size() > window_size, "a key that is too short");
  std::vector<ColumnBuilder> window = builders_for(table.window), key = builders_for(table.key),
                             value = builders_for(table.value);
  if (window_size > 0) decode_key(row.key.substr(0, window_size), window);
  SuffixCodec::decode(row.key.substr(window_size + 1), table.orders, key);
  decode_row(*row.value, value);
  std::vector<ColumnPtr> parts;
  for (std::size_t i = 0; i < parts_; ++i) parts.push_back(key[i].finish());
  EncodedKeys comes_by;
  comes_by.encode(parts, 1);
  std::vector<std::uint8_t> groups;
  key_groups(comes_by, groups);
  require(groups.at(0) == static_cast<std::uint8_t>(row.key[window_size]), "its key group is not that of its key");
  for (std::size_t i = 0; i < value.size(); ++i)
    require(table.value[i].nullable || value[i].finish()->null_count() == 0, table.value[i].name + " is null");
}

std::vector<std::string> table_names(const BoundStep& step) {
  std::vector<std::string> names;
  for (const TableDeclaration& t : step.tables()) names.push_back("step/" + t.name);
  return names;
}

}  // namespace weir
