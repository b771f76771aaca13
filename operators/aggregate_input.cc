#include "operators/aggregate_input.h"

namespace weir {

std::vector<std::int32_t> rows_without(std::span<const RowError> errors, std::int64_t rows) {
  std::vector<std::int32_t> good;
  good.reserve(static_cast<std::size_t>(rows));
  auto error = errors.begin();
  for (std::int32_t row = 0; row < rows; ++row) {
    while (error != errors.end() && error->row < row) ++error;
    if (error == errors.end() || error->row != row) good.push_back(row);
  }
  return good;
}

void AggregateInput::open(const TaskContext& task) {
  evaluation_.open(task);
  counters_ = task.counters;
  // Later attempts have later epochs, so that arrival numbers rise over restarts, too.
  next_sequence_ = task.attempt->first_epoch.value << 36;
}

BatchPtr AggregateInput::take_batch(BatchPtr batch, Output& out) {
  std::vector<RowError> errors;
  if (!evaluate(*batch, errors)) {
    std::stable_sort(errors.begin(), errors.end(), [](const RowError& a, const RowError& b) { return a.row < b.row; });
    handle_row_errors(plan_.on_error, plan_.step, *batch, errors, errors_port(plan_), *counters_, out);
    batch = take(*batch, rows_without(errors, batch->rows()));
    errors.clear();
    evaluate(*batch, errors);
  }
  sequence_ = next_sequence_;
  next_sequence_ += static_cast<std::uint64_t>(batch->rows());
  return batch;
}

namespace {

void find_null_times(const Column& times, std::vector<RowError>& errors) {
  if (times.null_count() == 0) return;
  for (std::int32_t row = 0; row < times.size(); ++row)
    if (!times.valid(row)) errors.push_back(RowError{row, std::string("the event time is null")});
}

}  // namespace

bool AggregateInput::evaluate(const RecordBatch& batch, std::vector<RowError>& errors) {
  const EvaluationContext context = evaluation_.next(batch.rows());
  std::vector<ColumnPtr> by;
  by.reserve(plan_.by.size());
  for (const GroupColumn& g : plan_.by)
    by.push_back(g.column ? batch.columns()[static_cast<std::size_t>(*g.column)] : g.expression->evaluate(batch, nullptr, context, errors));
  arguments_.evaluate(batch, context, errors);
  if (plan_.windowed()) find_null_times(batch.column(plan_.time), errors);
  if (!errors.empty()) return false;
  keys_.encode(by, batch.rows());
  key_hashes(keys_, hashes_);
  return true;
}

}  // namespace weir
