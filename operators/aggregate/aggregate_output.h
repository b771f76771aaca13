#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "operators/aggregate/aggregate_plan.h"
#include "runtime/api/evaluation.h"

namespace weir {

/// Makes batches of an aggregate step's output: groups from their keys, results from accumulators, then the selected
/// expressions over them. Belongs to one task.
class AggregateOutput {
 public:
  explicit AggregateOutput(const AggregatePlan& plan);

  /// Adds a row. `start` and `end`: of its window, if there are windows.
  void add(std::string_view key, std::int64_t start, std::int64_t end, const std::byte* accumulators);
  std::int64_t size() const { return rows_; }
  /// There are enough for a batch.
  bool full() const { return rows_ >= kRows || bytes_ >= kBytes; }

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
  static constexpr std::int64_t kRows = 2000;
  static constexpr std::size_t kBytes = 1 << 20;

  const AggregatePlan& plan_;
  std::vector<ColumnBuilder> columns_;  ///< of plan.results
  std::vector<std::size_t> wide_;       ///< those whose values are of any size
  std::size_t bytes_ = 0;               ///< in those
  std::vector<RowError> errors_;
  std::int64_t rows_ = 0;
};

}  // namespace weir
