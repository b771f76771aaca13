#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "operators/aggregate_plan.h"
#include "runtime/api/evaluation.h"

namespace weir {

/// Makes batches of an aggregate step's output: groups from their keys, results from accumulators, then the selected expressions over
/// them. Belongs to one task.
class AggregateOutput {
 public:
  /// Rows of a batch when there are enough.
  static constexpr std::int64_t kRows = 2000;

  explicit AggregateOutput(const AggregatePlan& plan);

  /// Adds a row. `start` and `end`: of its window, if there are windows.
  void add(std::string_view key, std::int64_t start, std::int64_t end, const std::byte* accumulators);
  std::int64_t size() const { return rows_; }

  /// The rows so far, and why some have no value (ascending).
  struct Made {
    BatchPtr results;  ///< of plan.results: what the errors are about
    BatchPtr output;   ///< of plan.output, without kinds
    std::vector<RowError> errors;
  };
  Made make(const EvaluationContext& context);
  /// Makes the rows so far and hands them on; those without a value follow on_error.
  void emit(const EvaluationContext& context, TaskCounters& counters, Output& out);

 private:
  const AggregatePlan& plan_;
  std::vector<ColumnBuilder> columns_;  ///< of plan.results
  std::vector<RowError> errors_;
  std::int64_t rows_ = 0;
};

}  // namespace weir
