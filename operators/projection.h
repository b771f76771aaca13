#pragma once
#include <optional>
#include <vector>

#include "runtime/config/config.h"
#include "runtime/data/schema.h"
#include "runtime/expr/expression.h"

namespace weir {

/// One column of a select's result: an input column as it is, or an expression.
struct ProjectedColumn {
  Field field;
  std::optional<int> carried{};  ///< the input column
  ExpressionPtr expression{};    ///< null where it is carried
};

/// What a select makes of its input.
struct Projection {
  std::vector<ProjectedColumn> columns;
  SchemaPtr schema;
  bool computes = false;  ///< false: only carries columns
};

/// Binds the items of a select in order. `"*"` stands for all input columns (but those it excepts and those named before
/// it); a name that is there already replaces that column in place. A column that keeps its name keeps being metadata.
///
/// The event time follows its column, also under another name (if there are several copies, the one with the old name, else
/// the first); where the select replaces or leaves out the column, the result has no event time. So do the keys of a
/// changelog, whose columns must depend on the row alone. Problems are reported; then nothing.
std::optional<Projection> bind_projection(const std::vector<SelectItem>& items, const Location& where, const Schema& input,
                                          Diagnostics& diagnostics);

}  // namespace weir
