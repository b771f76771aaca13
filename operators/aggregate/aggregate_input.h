#pragma once
#include <vector>

#include "operators/aggregate/aggregate_plan.h"
#include "runtime/api/evaluation.h"

namespace weir {

/// Makes keys and arguments of a batch for an aggregate step. Kept from batch to batch for its memory; belongs to one task.
class AggregateInput {
 public:
  explicit AggregateInput(const AggregatePlan& plan) : plan_(plan), arguments_(*plan.calls) {}

  void open(const TaskContext& task);
  /// Takes a batch. Rows for which an expression fails follow on_error and are left out: what stays is returned, and keys
  /// and arguments are those of it. May be empty.
  BatchPtr take_batch(BatchPtr batch, Output& out);

  const BatchKeys& keys() const { return keys_; }
  AggregateArguments& arguments() { return arguments_; }
  /// The arrival number of row 0.
  std::uint64_t sequence() const { return sequence_; }
  Evaluation& evaluation() { return evaluation_; }

 private:
  std::vector<ColumnPtr> evaluate(const RecordBatch& batch, std::vector<RowError>& errors);
  BatchPtr without_errors(const RecordBatch& batch, std::vector<ColumnPtr>& by, Output& out);

  const AggregatePlan& plan_;
  AggregateArguments arguments_;
  Evaluation evaluation_;
  TaskCounters* counters_ = nullptr;
  std::vector<RowError> errors_;  ///< kept from batch to batch for its memory
  BatchKeys keys_;
  std::uint64_t sequence_ = 0, next_sequence_ = 0;
};

}  // namespace weir
