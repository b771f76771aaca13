#include "operators/aggregate_input.h"
#include "operators/aggregate_output.h"
#include "operators/aggregate_rows.h"
#include "operators/keyed_table.h"

namespace weir {
namespace {

/// Aggregates rows into groups that never end, and hands on every change of a group's row: +I when it appears, -U and +U when it
/// changes, -D when its last row was taken back. Row by row, so that the changes do not depend on the size of batches.
///
/// A group whose result fails has no row while it does.
class ChangelogAggregate final : public Operator {
 public:
  explicit ChangelogAggregate(std::shared_ptr<const AggregatePlan> plan)
      : plan_(std::move(plan)), input_(*plan_), values_(*plan_->calls), output_(*plan_),
        count_at_(plan_->calls->calls()[static_cast<std::size_t>(plan_->row_count)].at) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    table_.open(task, "groups", 0, values_);
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch = input_.take_batch(std::move(batch), out);
    changes_.clear();
    for (std::int64_t row = 0; row < batch->rows(); ++row) {
      const RowKind kind = batch->kinds().empty() ? RowKind::kInsert : batch->kinds()[static_cast<std::size_t>(row)];
      change(row, kind == RowKind::kUpdateBefore || kind == RowKind::kDelete);
    }
    if (!changes_.empty()) emit(out);
    return table_.make_room(plan_->calls->row_size());
  }

  Progress on_end(Output&) override { return table_.on_end(); }
  Progress resume(Output&) override { return table_.on_end(); }
  Progress on_barrier(Epoch epoch, Output&) override { return table_.on_barrier(epoch), Progress::kDone; }
  void snapshot(TaskSnapshot& snapshot) override { table_.snapshot(snapshot); }
  void on_committed(Epoch epoch) override { table_.on_committed(epoch); }

 private:
  /// What a row of the input did to a group: the places of its rows in the output, before and after; -1: there is none.
  struct Change {
    std::int32_t before, after;
  };

  void change(std::int64_t row, bool retract) {
    const std::string_view key = input_.keys()[row];
    const StateTable::Touched group = table_->touch({}, key, input_.hashes()[static_cast<std::size_t>(row)]);
    std::byte* accumulators = values_.row(group.slot);
    Change change{group.created ? -1 : add(key, accumulators), -1};
    input_.arguments().update_one(row, accumulators, retract, input_.sequence());
    std::int64_t count;
    std::memcpy(&count, accumulators + count_at_, sizeof count);
    if (count > 0) change.after = add(key, accumulators);
    else table_->erase({}, key);
    changes_.push_back(change);
  }

  std::int32_t add(std::string_view key, const std::byte* accumulators) {
    output_.add(key, 0, 0, accumulators);
    return static_cast<std::int32_t>(output_.size()) - 1;
  }

  void emit(Output& out) {
    AggregateOutput::Made made = output_.make(input_.evaluation().next(output_.size()));
    std::vector<bool> failed(static_cast<std::size_t>(made.output->rows()));
    for (const RowError& e : made.errors) failed[static_cast<std::size_t>(e.row)] = true;
    report_failures(made, out);
    const auto there = [&](std::int32_t row) { return row >= 0 && !failed[static_cast<std::size_t>(row)]; };
    std::vector<std::int32_t> rows;
    std::vector<RowKind> kinds;
    const auto hand_on = [&](std::int32_t row, RowKind kind) {
      rows.push_back(row);
      kinds.push_back(kind);
    };
    for (const auto& [before, after] : changes_) {
      if (there(before) && there(after)) {
        if (same(*made.output, before, after)) continue;
        hand_on(before, RowKind::kUpdateBefore);
        hand_on(after, RowKind::kUpdateAfter);
      } else if (there(after)) {
        hand_on(after, RowKind::kInsert);
      } else if (there(before)) {
        hand_on(before, RowKind::kDelete);
      }
    }
    if (rows.empty()) return;
    const auto size = static_cast<std::int64_t>(rows.size());
    out.emit(kAggregatedPort, std::make_shared<const RecordBatch>(plan_->output, take(*made.output, rows)->columns(), size, std::move(kinds)));
  }

  /// Only rows that are new; the others were reported when they were.
  void report_failures(AggregateOutput::Made& made, Output& out) {
    if (made.errors.empty()) return;
    std::vector<bool> is_new(static_cast<std::size_t>(made.output->rows()));
    for (const Change& c : changes_)
      if (c.after >= 0) is_new[static_cast<std::size_t>(c.after)] = true;
    std::erase_if(made.errors, [&](const RowError& e) { return !is_new[static_cast<std::size_t>(e.row)]; });
    handle_row_errors(plan_->on_error, plan_->step, *made.results, made.errors, errors_port(*plan_), *counters_, out);
  }

  static bool same(const RecordBatch& batch, std::int32_t a, std::int32_t b) {
    return std::all_of(batch.columns().begin(), batch.columns().end(), [&](const ColumnPtr& c) { return same_value(*c, a, *c, b); });
  }

  const std::shared_ptr<const AggregatePlan> plan_;
  AggregateInput input_;
  AggregateRows values_;
  KeyedTable table_;
  AggregateOutput output_;
  const std::size_t count_at_;
  TaskCounters* counters_ = nullptr;
  std::vector<Change> changes_;
};

}  // namespace

std::unique_ptr<Operator> make_changelog_aggregate(std::shared_ptr<const AggregatePlan> plan) {
  return std::make_unique<ChangelogAggregate>(std::move(plan));
}

}  // namespace weir
