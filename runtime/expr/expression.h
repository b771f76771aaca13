#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// What is wrong with an expression's text; `offset` points into it.
struct ExpressionError {
  std::size_t offset = 0;
  std::string text;
  std::string hint;  ///< what to write instead, or empty
};

/// A row for which an expression has no value: which row, and why (with the value that made it fail).
struct RowError {
  std::int32_t row;
  std::string reason;             ///< `division by zero: 12 / 0`, …
  std::string_view expression{};  ///< Expression::text() of the one that failed, as long as that lives; empty: it was none
};

/// What an evaluation may depend on beside the row. Belongs to one task.
struct EvaluationContext {
  Timestamp now;                  ///< now(): one value per batch
  std::uint64_t random_seed = 0;  ///< random(): a pure function of this seed, the row's number and the call's place
  std::int64_t first_row = 0;     ///< the number of the batch's row 0, for random()
};

/// A bound SQL expression: a program of kernels over whole columns. Immutable after compile; any thread may evaluate it.
///
/// Source: PostgreSQL's grammar (libpg_query); semantics PostgreSQL's but for the differences listed in the reference.
class Expression {
 public:
  /// Parses, binds against `input` and folds. On failure returns null and appends to `errors` (one or more). An expression
  /// that is nothing but a literal without a type (`null`, `'true'`) becomes one of type `literal`.
  static std::shared_ptr<const Expression> compile(std::string_view text, const Schema& input,
                                                   std::vector<ExpressionError>& errors,
                                                   const Type& literal = Type::varchar());
  virtual ~Expression() = default;

  virtual const Type& type() const = 0;
  virtual bool nullable() const = 0;
  /// The input columns it reads, ascending.
  virtual const std::vector<int>& columns() const = 0;
  /// If it is nothing but one input column: which.
  virtual std::optional<int> as_column() const = 0;
  /// True if equal rows always have equal values: no now(), no random().
  virtual bool is_deterministic() const = 0;
  /// The text it was compiled from.
  virtual const std::string& text() const = 0;

  /// One value per selected row, in the order of `selection` (ascending row numbers; the whole batch when null). Rows in
  /// `errors` (appended, ascending, row numbers of the batch) have an unspecified value in the result.
  virtual ColumnPtr evaluate(const RecordBatch& batch, const std::vector<std::int32_t>* selection,
                             const EvaluationContext& context, std::vector<RowError>& errors) const = 0;
  /// For boolean expressions: the selected rows for which it is true, appended to `rows`. Faster than evaluate.
  virtual void filter(const RecordBatch& batch, const std::vector<std::int32_t>* selection, const EvaluationContext& context,
                      std::vector<std::int32_t>& rows, std::vector<RowError>& errors) const = 0;
};

using ExpressionPtr = std::shared_ptr<const Expression>;

/// Appends what is wrong with the grammar of an expression, aggregate calls being allowed: all that can be said without its
/// input.
void check_expression_syntax(std::string_view text, std::vector<ExpressionError>& errors);

}  // namespace weir
