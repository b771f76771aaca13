#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/aggregate_rows.h"
#include "operators/aggregate/distinct_values.h"
#include "operators/aggregate/group_changes.h"

namespace weir {
namespace {

/// Aggregates rows into groups that never end, and hands on every change of a group's row; it goes when its last row was
/// taken back. Row by row, so that the changes do not depend on the size of batches.
class GroupAggregate final : public Operator {
 public:
  GroupAggregate(AggregatePlanPtr plan, KeyedState& state)
      : plan_(std::move(plan)),
        input_(*plan_),
        values_(*plan_->calls),
        table_(state, "groups", values_, plan_->calls->row_size()),
        distinct_(*plan_, state),
        changes_(*plan_),
        count_at_(plan_->calls->calls()[static_cast<std::size_t>(plan_->row_count)].at) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch_ = input_.take_batch(batch, out);
    distinct_.begin(input_.keys(), input_.arguments(), batch_->rows());
    row_ = 0;
    changes_.begin(batch_->rows() != batch->rows());  // errors of rows went out
    return go_on(out);
  }

  Progress resume(Output& out) override {
    changes_.begin(false);
    return go_on(out);
  }

 private:
  Progress go_on(Output& out) {
    for (; row_ < batch_->rows(); ++row_) {
      if (changes_.full() && !emit(out)) return Progress::kMore;
      table_.look_ahead({}, input_.keys().hashes(), row_, values_);
      const RowKind kind = batch_->kinds().empty() ? RowKind::kInsert : batch_->kinds()[static_cast<std::size_t>(row_)];
      change(row_, kind == RowKind::kUpdateBefore || kind == RowKind::kDelete);
    }
    if (!emit(out)) return Progress::kMore;
    batch_.reset();
    return Progress::kDone;
  }

  bool emit(Output& out) { return changes_.emit(input_.evaluation(), *counters_, out); }

  void change(std::int64_t row, bool retract) {
    const std::string_view key = input_.keys()[row];
    const StateTable::Touched group = table_->touch({}, key, input_.keys().hash(row));
    std::byte* accumulators = values_.row(group.slot);
    if (!group.created) changes_.before(key, 0, 0, accumulators);
    input_.arguments().update_one(row, accumulators, retract, input_.sequence());
    distinct_.update(row, {}, accumulators, retract);
    std::int64_t count;
    std::memcpy(&count, accumulators + count_at_, sizeof count);
    if (count > 0) changes_.after(key, 0, 0, accumulators);
    else table_->erase({}, key);
    changes_.done();
  }

  const AggregatePlanPtr plan_;
  AggregateInput input_;
  AggregateRows values_;
  KeyedTable table_;
  DistinctValues distinct_;
  GroupChanges changes_;
  const std::size_t count_at_;
  TaskCounters* counters_ = nullptr;

  BatchPtr batch_;        ///< the one that is being added
  std::int64_t row_ = 0;  ///< its next row
};

}  // namespace

std::unique_ptr<Operator> make_group_aggregate(AggregatePlanPtr plan, KeyedState& state) {
  return std::make_unique<GroupAggregate>(std::move(plan), state);
}

}  // namespace weir
