#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/aggregate_rows.h"
#include "operators/aggregate/distinct_values.h"
#include "operators/aggregate/group_changes.h"

namespace weir {
namespace {

/// Aggregates rows into aligned windows and hands on every change of a window's row at once. When the watermark reaches a
/// window's end its row stays as it is, and its state is dropped.
///
/// State is kept window by window, since what a window's row was must be known whenever one of its rows comes.
class EarlyWindowAggregate final : public Operator {
 public:
  EarlyWindowAggregate(AggregatePlanPtr plan, KeyedState& state)
      : plan_(std::move(plan)),
        shape_(plan_->shape),
        input_(*plan_),
        values_(*plan_->calls),
        table_(state, "updates", values_, plan_->calls->row_size()),
        distinct_(*plan_, state),
        watermark_(state.watermark()),
        changes_(*plan_) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch = let_late_go(std::move(batch), out);
    batch_ = input_.take_batch(batch, out);
    distinct_.begin(input_.keys(), input_.arguments(), batch_->rows());
    row_ = 0;
    changes_.begin(batch_->rows() != batch->rows());  // errors of rows went out
    return go_on(out);
  }

  Progress on_watermark(Timestamp w, Output&) override {
    watermark_.advance(w);
    while (const std::optional<std::string> first = table_->first_window()) {
      if (window_time(*first) - 1 > watermark_.micros()) break;
      table_->drop(*first);
      distinct_.drop_through(*first);
      if (*first == name_) name_.clear();
    }
    return Progress::kDone;
  }

  Progress resume(Output& out) override {
    changes_.begin(false);
    return go_on(out);
  }

 private:
  /// Hands on the rows that are late for some window, and returns those that are in time for one.
  BatchPtr let_late_go(BatchPtr batch, Output& out) {
    const Column& times = batch->column(plan_->time);
    std::vector<std::int32_t> late, kept;
    for (std::int32_t row = 0; row < batch->rows(); ++row) {
      if (!times.valid(row)) {
        kept.push_back(row);  // an error, which is found later
        continue;
      }
      const std::int64_t slice = shape_.slice_end(times.values<std::int64_t>()[row]);
      if (shape_.first_window_end(slice) - 1 <= watermark_.micros()) late.push_back(row);
      if (shape_.last_window_end(slice) - 1 > watermark_.micros()) kept.push_back(row);
    }
    if (late.empty()) return batch;
    counters_->late.add(late.size());
    out.emit(kLatePort, take(*batch, late));
    return take(*batch, kept);
  }

  Progress go_on(Output& out) {
    const std::int64_t* times = batch_->rows() > 0 ? batch_->column(plan_->time).values<std::int64_t>() : nullptr;
    for (; row_ < batch_->rows(); ++row_) {
      if (changes_.full() && !emit(out)) return Progress::kMore;
      const std::int64_t slice = shape_.slice_end(times[row_]), last = shape_.last_window_end(slice);
      for (std::int64_t end = shape_.first_window_end(slice);; end = shape_.window_end_from(end + 1)) {
        if (end - 1 > watermark_.micros()) change(end);
        if (end >= last) break;
      }
    }
    if (!emit(out)) return Progress::kMore;
    batch_.reset();
    return Progress::kDone;
  }

  void change(std::int64_t end) {
    if (end != named_ || name_.empty()) {
      named_ = end;
      name_ = window_name(end);
      start_ = shape_.window_start(end);
    }
    const std::string_view key = input_.keys()[row_];
    table_.look_ahead(name_, input_.keys().hashes(), row_, values_);
    const StateTable::Touched group = table_->touch(name_, key, input_.keys().hash(row_));
    std::byte* accumulators = values_.row(group.slot);
    if (!group.created) changes_.before(key, start_, end, accumulators);
    input_.arguments().update_one(row_, accumulators, false, input_.sequence());
    distinct_.update(row_, name_, accumulators, false);
    changes_.after(key, start_, end, accumulators);
    changes_.done();
  }

  bool emit(Output& out) { return changes_.emit(input_.evaluation(), *counters_, out); }

  const AggregatePlanPtr plan_;
  const WindowShape shape_;
  AggregateInput input_;
  AggregateRows values_;
  KeyedTable table_;
  DistinctValues distinct_;
  StepWatermark& watermark_;
  GroupChanges changes_;
  TaskCounters* counters_ = nullptr;

  std::int64_t named_ = 0, start_ = 0;  ///< the window whose name name_ is
  std::string name_;

  BatchPtr batch_;  ///< taken and not yet done
  std::int64_t row_ = 0;
};

}  // namespace

std::unique_ptr<Operator> make_early_window_aggregate(AggregatePlanPtr plan, KeyedState& state) {
  return std::make_unique<EarlyWindowAggregate>(std::move(plan), state);
}

}  // namespace weir
