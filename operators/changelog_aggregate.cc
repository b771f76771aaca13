#include "operators/aggregate_input.h"
#include "operators/aggregate_rows.h"
#include "operators/group_changes.h"
#include "operators/keyed_table.h"

namespace weir {
namespace {

/// Aggregates rows into groups that never end, and hands on every change of a group's row; it goes when its last row was taken back.
/// Row by row, so that the changes do not depend on the size of batches.
class ChangelogAggregate final : public Operator {
 public:
  explicit ChangelogAggregate(std::shared_ptr<const AggregatePlan> plan)
      : plan_(std::move(plan)), input_(*plan_), values_(*plan_->calls), changes_(*plan_),
        count_at_(plan_->calls->calls()[static_cast<std::size_t>(plan_->row_count)].at) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    table_.open(task, "groups", 0, values_);
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    const BatchPtr good = input_.take_batch(batch, out);
    for (std::int64_t row = 0; row < good->rows(); ++row) {
      table_.look_ahead({}, input_.hashes(), row, values_);
      const RowKind kind = good->kinds().empty() ? RowKind::kInsert : good->kinds()[static_cast<std::size_t>(row)];
      change(row, kind == RowKind::kUpdateBefore || kind == RowKind::kDelete);
    }
    // Errors of the rows have gone out: those of results may have to wait.
    if (good->rows() != batch->rows() && out.full()) return Progress::kMore;
    return hand_on(out);
  }

  Progress on_end(Output&) override { return table_.on_end(); }
  Progress resume(Output& out) override { return changes_.size() > 0 ? hand_on(out) : table_.on_end(); }
  Progress on_barrier(Epoch epoch, Output&) override { return table_.on_barrier(epoch), Progress::kDone; }
  void snapshot(TaskSnapshot& snapshot) override { table_.snapshot(snapshot); }
  void on_committed(Epoch epoch) override { table_.on_committed(epoch); }

 private:
  Progress hand_on(Output& out) {
    changes_.emit(input_.evaluation(), *counters_, out);
    return table_.make_room(plan_->calls->row_size());
  }

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
};

}  // namespace

std::unique_ptr<Operator> make_changelog_aggregate(std::shared_ptr<const AggregatePlan> plan) {
  return std::make_unique<ChangelogAggregate>(std::move(plan));
}

}  // namespace weir
