#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/aggregate_rows.h"
#include "operators/aggregate/group_changes.h"
#include "operators/keyed_table.h"

namespace weir {
namespace {

/// Aggregates rows into groups that never end, and hands on every change of a group's row; it goes when its last row was
/// taken back. Row by row, so that the changes do not depend on the size of batches.
class ChangelogAggregate final : public Operator {
 public:
  explicit ChangelogAggregate(std::shared_ptr<const AggregatePlan> plan)
      : plan_(std::move(plan)),
        input_(*plan_),
        values_(*plan_->calls),
        changes_(*plan_),
        count_at_(plan_->calls->calls()[static_cast<std::size_t>(plan_->row_count)].at) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    table_.open(task, "groups", 0, values_);
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch_ = input_.take_batch(batch, out);
    row_ = 0;
    changes_.begin(batch_->rows() != batch->rows());  // errors of rows went out
    return go_on(out);
  }

  Progress on_end(Output&) override { return table_.on_end(); }
  Progress resume(Output& out) override {
    if (!batch_) return table_.on_end();
    changes_.begin(false);
    return go_on(out);
  }
  Progress on_barrier(Epoch epoch, Output&) override { return table_.on_barrier(epoch), Progress::kDone; }
  void snapshot(TaskSnapshot& snapshot) override { table_.snapshot(snapshot); }
  void on_committed(Epoch epoch) override { table_.on_committed(epoch); }

 private:
  Progress go_on(Output& out) {
    for (; row_ < batch_->rows(); ++row_) {
      if (changes_.full() && !emit(out)) return Progress::kMore;
      table_.look_ahead({}, input_.hashes(), row_, values_);
      const RowKind kind = batch_->kinds().empty() ? RowKind::kInsert : batch_->kinds()[static_cast<std::size_t>(row_)];
      change(row_, kind == RowKind::kUpdateBefore || kind == RowKind::kDelete);
    }
    if (!emit(out)) return Progress::kMore;
    batch_.reset();
    return table_.make_room(plan_->calls->row_size());
  }

  bool emit(Output& out) { return changes_.emit(input_.evaluation(), *counters_, out); }

  void change(std::int64_t row, bool retract) {
    const std::string_view key = input_.keys()[row];
    const StateTable::Touched group = table_->touch({}, key, input_.hashes()[static_cast<std::size_t>(row)]);
    std::byte* accumulators = values_.row(group.slot);
    if (!group.created) changes_.before(key, 0, 0, accumulators);
    input_.arguments().update_one(row, accumulators, retract, input_.sequence());
    std::int64_t count;
    std::memcpy(&count, accumulators + count_at_, sizeof count);
    if (count > 0) changes_.after(key, 0, 0, accumulators);
    else table_->erase({}, key);
    changes_.done();
  }

  const std::shared_ptr<const AggregatePlan> plan_;
  AggregateInput input_;
  AggregateRows values_;
  KeyedTable table_;
  GroupChanges changes_;
  const std::size_t count_at_;
  TaskCounters* counters_ = nullptr;

  BatchPtr batch_;        ///< the one that is being added
  std::int64_t row_ = 0;  ///< its next row
};

}  // namespace

std::unique_ptr<Operator> make_changelog_aggregate(std::shared_ptr<const AggregatePlan> plan) {
  return std::make_unique<ChangelogAggregate>(std::move(plan));
}

}  // namespace weir
