#include <cstdlib>

#include "runtime/data/record_batch.h"
#include "runtime/expr/expression.h"
#include "runtime/expr/text/parse_value.h"

namespace {

using namespace weir;

void demand(bool promise) {
  if (!promise) std::abort();
}

/// Three rows of every scalar type: small, null, large.
BatchPtr make_batch() {
  struct Sample {
    const char *name, *type, *small, *large;
  };
  constexpr Sample kSamples[] = {{"a", "int", "1", "2147483647"},
                                 {"b", "bigint", "-7", "9223372036854775807"},
                                 {"x", "double", "1.5", "NaN"},
                                 {"d", "decimal(20,3)", "-0.001", "99999999999999999.999"},
                                 {"s", "varchar", "", "Straße 😀"},
                                 {"y", "bytea", "\\x", "\\x00ff"},
                                 {"p", "boolean", "t", "f"},
                                 {"t", "timestamp", "1969-12-31 23:59:59.999999", "+250000-01-01"},
                                 {"w", "date", "0001-01-01", "2024-02-29"},
                                 {"i", "interval", "-1 day", "9 years 100 days 25:00:00"},
                                 {"j", "json", "{}", "[1, \"x\"]"}};
  std::vector<Field> fields;
  std::vector<ColumnPtr> columns;
  for (const Sample& s : kSamples) {
    Field f{s.name, Type::boolean()};
    demand(!parse_type(s.type, f));
    ColumnBuilder b(f.type);
    demand(!append_parsed(b, s.small));
    b.append_null();
    demand(!append_parsed(b, s.large));
    columns.push_back(b.finish());
    fields.push_back(f);
  }
  return std::make_shared<RecordBatch>(std::make_shared<Schema>(fields), columns, 3);
}

bool failed(const std::vector<RowError>& errors, std::int32_t row) {
  for (const RowError& e : errors)
    if (e.row == row) return true;
  return false;
}

}  // namespace

/// Whatever is compiled gives a row the same value among others and alone.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const BatchPtr batch = make_batch();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<ExpressionError> problems;
  const ExpressionPtr e = Expression::compile(text, *batch->schema(), problems);
  demand((e == nullptr) == !problems.empty());
  for (const ExpressionError& p : problems) demand(p.offset <= text.size());
  if (!e) return 0;
  std::vector<RowError> errors;
  const ColumnPtr all = e->evaluate(*batch, nullptr, {}, errors);
  for (std::int32_t row = 0; row < 3; ++row) {
    const std::vector<std::int32_t> one{row};
    std::vector<RowError> own;
    const ColumnPtr alone = e->evaluate(*batch, &one, {}, own);
    demand(own.size() == static_cast<std::size_t>(failed(errors, row)));
    demand(!own.empty() || same_value(*all, row, *alone, 0));
  }
  return 0;
}
