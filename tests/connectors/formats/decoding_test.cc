#include "tests/connectors/formats/decoding.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "runtime/data/json_text.h"

namespace weir::test {

Schema schema_of(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::vector<Field> fields;
  for (const auto& [name, type] : columns) {
    Field f{name, Type::boolean()};
    if (const auto error = parse_type(type, f)) throw std::invalid_argument(type + ": " + error->text);
    fields.push_back(f);
  }
  return Schema(fields);
}

Decoded decode(RowDecoder& decoder, const Schema& schema, const std::vector<std::string>& records) {
  std::vector<ColumnBuilder> builders;
  for (const Field& f : schema.fields()) builders.emplace_back(f.type);
  // Exactly as long as the record and nothing behind it, so that the sanitizer sees every byte read too far.
  std::vector<std::vector<char>> tight;
  std::vector<std::string_view> views;
  for (const std::string& r : records) tight.emplace_back(r.begin(), r.end()).shrink_to_fit();
  for (const auto& t : tight) views.emplace_back(t.data(), t.size());
  std::vector<DecodeError> errors;
  decoder.decode(views, builders, errors);
  Decoded d;
  for (ColumnBuilder& b : builders) d.columns.push_back(b.finish());
  for (const DecodeError& e : errors) d.errors.push_back(std::to_string(e.record) + ": " + e.reason);
  const std::int64_t rows = d.columns[0]->size();
  for (const ColumnPtr& c : d.columns) REQUIRE(c->size() == rows);
  REQUIRE(static_cast<std::size_t>(rows) + errors.size() == records.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    std::string row = "{";
    for (std::size_t k = 0; k < d.columns.size(); ++k) {
      if (k) row += ',';
      append_json_string(row, schema[static_cast<int>(k)].name);
      row += ':';
      append_json(row, *d.columns[k], i);
    }
    d.rows.push_back(row + "}");
  }
  return d;
}

}  // namespace weir::test
