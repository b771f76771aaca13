#include "operators/aggregate/aggregate_output.h"

#include "runtime/api/row_errors.h"
#include "runtime/data/key_codec.h"

namespace weir {

AggregateOutput::AggregateOutput(const AggregatePlan& plan) : plan_(plan) {
  for (const Field& f : plan.results->fields()) {
    if (f.type.is_binary() || !f.type.children().empty()) wide_.push_back(columns_.size());
    columns_.emplace_back(f.type);
  }
}

void AggregateOutput::add(std::string_view key, std::int64_t start, std::int64_t end, const std::byte* accumulators) {
  const std::size_t groups = plan_.by.size();
  std::span<ColumnBuilder> columns(columns_);
  decode_key(key, columns.first(groups));
  std::size_t next = groups;
  if (plan_.windowed()) {
    columns_[next++].append_bigint(start);
    columns_[next++].append_bigint(end);
  }
  std::string problem = plan_.calls->results(accumulators, columns.subspan(next));
  if (!problem.empty()) errors_.push_back({static_cast<std::int32_t>(rows_), std::move(problem)});
  ++rows_;
  if (wide_.empty()) return;
  bytes_ = 0;
  for (const std::size_t column : wide_) bytes_ += columns_[column].bytes();
}

AggregateOutput::Made AggregateOutput::make(const EvaluationContext& context) {
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& b : columns_) columns.push_back(b.finish());
  Made made{std::make_shared<const RecordBatch>(plan_.results, std::move(columns), rows_), nullptr,
            std::exchange(errors_, {})};
  const std::size_t keys = plan_.by.size() + (plan_.windowed() ? 2 : 0);
  std::vector<ColumnPtr> out(made.results->columns().begin(),
                             made.results->columns().begin() + static_cast<std::ptrdiff_t>(keys));
  for (const ExpressionPtr& item : plan_.items) {
    if (const auto column = item->as_column()) out.push_back(made.results->columns()[static_cast<std::size_t>(*column)]);
    else out.push_back(item->evaluate(*made.results, nullptr, context, made.errors));
  }
  if (plan_.windowed()) {
    ColumnBuilder time(Type::timestamp());
    time.reserve(rows_);
    const std::int64_t* ends = made.results->column(static_cast<int>(keys) - 1).values<std::int64_t>();
    for (std::int64_t i = 0; i < rows_; ++i) time.append_bigint(ends[i] - 1);
    out.push_back(time.finish());
  }
  sort_errors(made.errors);
  made.output = std::make_shared<const RecordBatch>(plan_.output, std::move(out), rows_);
  rows_ = 0;
  bytes_ = 0;
  return made;
}

void AggregateOutput::emit(const EvaluationContext& context, TaskCounters& counters, Output& out) {
  Made made = make(context);
  if (!made.errors.empty()) {
    handle_row_errors(plan_.on_error, plan_.step, *made.results, made.errors, errors_port(plan_), counters, out);
    made.output = take(*made.output, rows_without(made.errors, made.output->rows()));
  }
  out.emit(kAggregatedPort, std::move(made.output));
}

}  // namespace weir
