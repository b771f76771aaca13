#pragma once
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/row_errors.h"
#include "runtime/data/record_batch.h"
#include "runtime/expr/expression.h"

namespace weir {

/// What a generator's rows are made of. Row n is a function of this and n alone (as far as its expressions do without
/// now()).
struct GeneratorPlan {
  std::string name;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> rows;  ///< none: unbounded
  std::optional<double> rate;        ///< rows a second; none: unlimited
  OnError on_error = OnError::kFail;
  SchemaPtr schema;
  std::vector<ExpressionPtr> columns;  ///< over number_schema(), one for each field of `schema`
};

/// What the expressions see: `n bigint not null`.
const SchemaPtr& number_schema();

/// Rows `first` to first + count - 1, those that fail among them left out. `errors`: the failed rows, ascending, counted
/// from `first`; one may be there several times.
BatchPtr generate(const GeneratorPlan& plan, std::int64_t first, std::int64_t count, Timestamp now,
                  std::vector<RowError>& errors);

}  // namespace weir
