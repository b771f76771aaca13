#include <cstdlib>

#include "connectors/formats/json/json_decoder.h"
#include "connectors/formats/json/json_encoder.h"

namespace {

using namespace weir;

Schema make_schema() {
  const std::pair<const char*, const char*> kColumns[] = {
      {"id", "bigint"},
      {"n", "int not null"},
      {"price", "double"},
      {"m", "decimal(20,3)"},
      {"s", "varchar"},
      {"x", "bytea"},
      {"ok", "boolean"},
      {"d", "date"},
      {"at", "timestamp"},
      {"i", "interval"},
      {"j", "json"},
      {"r", "row(a int, xs array(varchar), m map(varchar, row(v double)))"},
      {"xx", "array(array(bigint))"}};
  std::vector<Field> fields;
  for (const auto& [name, type] : kColumns) {
    Field f{name, Type::boolean()};
    if (parse_type(type, f)) std::abort();
    fields.push_back(f);
  }
  return Schema(fields);
}

void demand(bool promise) {
  if (!promise) std::abort();
}

std::vector<ColumnPtr> decode(const Schema& schema, const std::vector<std::string_view>& records, std::size_t& errors) {
  JsonDecoder decoder(schema, {});
  std::vector<ColumnBuilder> builders;
  for (const Field& f : schema.fields()) builders.emplace_back(f.type);
  std::vector<DecodeError> failures;
  decoder.decode(records, builders, failures);
  errors = failures.size();
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& b : builders) columns.push_back(b.finish());
  for (const ColumnPtr& c : columns)
    demand(c->size() + static_cast<std::int64_t>(errors) == static_cast<std::int64_t>(records.size()));
  return columns;
}

std::vector<std::string> encode(const Schema& schema, std::vector<ColumnPtr> columns) {
  std::vector<int> all;
  for (int i = 0; i < schema.size(); ++i) all.push_back(i);
  const std::int64_t rows = columns[0]->size();
  const RecordBatch batch(std::make_shared<Schema>(schema), std::move(columns), rows);
  Buffer out;
  std::vector<std::size_t> ends;
  JsonEncoder(schema, all, {}).encode(batch, out, ends);
  std::vector<std::string> records;
  for (std::size_t begin = 0; const std::size_t end : ends) {
    records.emplace_back(out.as<char>() + begin, end - begin);
    begin = end;
  }
  return records;
}

}  // namespace

/// Lines are records. Whatever they are, a record gives a row or an error; and rows that are written read back as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Schema schema = make_schema();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> records;
  for (std::size_t begin = 0; begin <= input.size();) {
    const std::size_t end = std::min(input.find('\n', begin), input.size());
    records.push_back(input.substr(begin, end - begin));
    begin = end + 1;
  }
  std::size_t errors = 0;
  const std::vector<std::string> written = encode(schema, decode(schema, records, errors));
  const std::vector<std::string_view> again(written.begin(), written.end());
  demand(encode(schema, decode(schema, again, errors)) == written);
  demand(errors == 0);
  return 0;
}
