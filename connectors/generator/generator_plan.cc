#include "connectors/generator/generator_plan.h"

#include <numeric>

#include "runtime/api/evaluation.h"

namespace weir {
namespace {

BatchPtr numbers(std::int64_t first, std::int64_t count) {
  Buffer values;
  values.resize(static_cast<std::size_t>(count) * sizeof(std::int64_t));
  std::iota(values.as<std::int64_t>(), values.as<std::int64_t>() + count, first);
  std::vector<ColumnPtr> columns{
      std::make_shared<const Column>(Type::bigint(), count, 0, nullptr, std::make_shared<const Buffer>(std::move(values)))};
  return std::make_shared<const RecordBatch>(number_schema(), std::move(columns), count);
}

}  // namespace

const SchemaPtr& number_schema() {
  static const SchemaPtr schema = std::make_shared<const Schema>(std::vector<Field>{{"n", Type::bigint(), false}});
  return schema;
}

BatchPtr generate(const GeneratorPlan& plan, std::int64_t first, std::int64_t count, Timestamp now,
                  std::vector<RowError>& errors) {
  const BatchPtr input = numbers(first, count);
  std::vector<ColumnPtr> columns;
  columns.reserve(plan.columns.size());
  for (int i = 0; i < plan.schema->size(); ++i) {
    const EvaluationContext context{
        .now = now, .random_seed = mix_seed(plan.seed, (*plan.schema)[i].name), .first_row = first};
    columns.push_back(plan.columns[static_cast<std::size_t>(i)]->evaluate(*input, nullptr, context, errors));
  }
  auto rows = std::make_shared<const RecordBatch>(plan.schema, std::move(columns), count);
  if (errors.empty()) return rows;
  sort_errors(errors);
  return take(*rows, rows_without(errors, count));
}

}  // namespace weir
