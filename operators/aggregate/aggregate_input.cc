#include "operators/aggregate/aggregate_input.h"

namespace weir {

void AggregateInput::open(const TaskContext& task) {
  evaluation_.open(task);
  counters_ = task.counters;
  // Later attempts have later epochs, so that arrival numbers rise over restarts, too.
  next_sequence_ = task.attempt->first_epoch.value << 36;
}

BatchPtr AggregateInput::take_batch(BatchPtr batch, Output& out) {
  errors_.clear();
  std::vector<ColumnPtr> by = evaluate(*batch, errors_);
  if (!errors_.empty()) batch = without_errors(*batch, by, out);
  keys_.encode(by, batch->rows());
  sequence_ = next_sequence_;
  next_sequence_ += static_cast<std::uint64_t>(batch->rows());
  return batch;
}

/// Lets the failed rows go their way, and takes them out of the batch and of what was computed for it.
BatchPtr AggregateInput::without_errors(const RecordBatch& batch, std::vector<ColumnPtr>& by, Output& out) {
  sort_errors(errors_);
  handle_row_errors(plan_.on_error, plan_.step, batch, errors_, errors_port(plan_), *counters_, out);
  const std::vector<std::int32_t> good = rows_without(errors_, batch.rows());
  for (ColumnPtr& column : by) column = take(*column, good);
  arguments_.keep(good);
  return take(batch, good);
}

namespace {

void find_null_times(const Column& times, std::vector<RowError>& errors) {
  if (times.null_count() == 0) return;
  for (std::int32_t row = 0; row < times.size(); ++row)
    if (!times.valid(row)) errors.push_back(RowError{row, std::string("the event time is null")});
}

}  // namespace

/// The group columns; arguments_ holds the rest.
std::vector<ColumnPtr> AggregateInput::evaluate(const RecordBatch& batch, std::vector<RowError>& errors) {
  const EvaluationContext context = evaluation_.next(batch.rows());
  std::vector<ColumnPtr> by = plan_.by.evaluate(batch, context, errors);
  arguments_.evaluate(batch, context, errors);
  if (plan_.windowed()) find_null_times(batch.column(plan_.time), errors);
  return by;
}

}  // namespace weir
