#include <cmath>
#include <map>

#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/aggregate_output.h"
#include "operators/aggregate/aggregate_rows.h"
#include "operators/aggregate/slice_merge.h"

namespace weir {
namespace {

/// Aggregates rows into slices of windows, and hands on a window when the watermark reaches its end.
///
/// State is kept slice by slice, each dropped whole with the last window that needs it. Invariant: every slice that is there
/// has a window that has not fired. A cumulating window has besides the open slices one that holds what fired so far, called
/// by the end of the window that fired last.
///
/// A hopping window of many slices is merged from runs of slices, whose sums are kept in memory from window to window: of n
/// slices some 2 x sqrt(n) pieces are left. A run whose slice gets a row after all is made anew. Whether runs fit in memory
/// changes no result.
class WindowAggregate final : public Operator {
 public:
  WindowAggregate(AggregatePlanPtr plan, KeyedState& state)
      : plan_(std::move(plan)),
        shape_(plan_->shape),
        input_(*plan_),
        values_(*plan_->calls),
        table_(state, "windows", values_, plan_->calls->row_size()),
        watermark_(state.watermark()),
        groups_(*plan_->calls),
        output_(*plan_) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    fired_ = target_ = watermark_.micros();
    run_size_ = run_size(shape_);
    most_run_bytes_ = task.attempt->memory / 32 / static_cast<std::size_t>(task.parallelism);
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    find_slices(*batch);
    if (!late_.empty()) batch = let_go(std::move(batch), out);
    const std::int64_t rows = batch->rows();
    batch = input_.take_batch(std::move(batch), out);
    if (batch->rows() != rows) find_slices(*batch);
    if (batch->rows() > 0) add(*batch);
    return Progress::kDone;
  }

  Progress on_watermark(Timestamp w, Output& out) override {
    target_ = std::max(watermark_.micros(), w.micros);
    emitted_ = false;
    return fire(out);
  }

  Progress resume(Output& out) override {
    emitted_ = false;
    return fire(out);
  }

 private:
  /// Finds the slice of each row, and the rows that are too late for some window, or for all that hold them.
  void find_slices(const RecordBatch& batch) {
    const Column& time = batch.column(plan_->time);
    const std::int64_t* times = time.values<std::int64_t>();
    const auto rows = static_cast<std::size_t>(batch.rows());
    slice_of_.resize(rows);
    late_.clear();
    lost_.clear();
    std::int64_t begin = 0, end = 0;  // of the slice found last
    for (std::size_t i = 0; i < rows; ++i) {
      if (times[i] < begin || times[i] >= end) {
        end = shape_.slice_end(times[i]);
        begin = shape_.slice_start(end);
      }
      slice_of_[i] = end;
      if (end - 1 <= watermark_.micros() && time.valid(static_cast<std::int64_t>(i)))
        find_late(static_cast<std::int32_t>(i), end);
    }
  }

  void find_late(std::int32_t row, std::int64_t slice) {
    if (shape_.first_window_end(slice) - 1 <= watermark_.micros()) late_.push_back(row);
    if (shape_.last_window_end(slice) - 1 <= watermark_.micros()) lost_.push_back(row);
    else if (run_size_ > 0) drop_run(run_end(slice));
    else if (shape_.kind == WindowShape::Kind::kCumulate)
      slice_of_[static_cast<std::size_t>(row)] = shape_.window_end_from(watermark_.micros() + 2);
  }

  /// Hands on the rows that are late, also those that still count in other windows, and returns what is not lost.
  BatchPtr let_go(BatchPtr batch, Output& out) {
    counters_->late.add(late_.size());
    out.emit(kLatePort, static_cast<std::int64_t>(late_.size()) == batch->rows() ? batch : take(*batch, late_));
    if (lost_.empty()) return batch;
    std::vector<std::int32_t> kept;
    auto lost = lost_.begin();
    for (std::int32_t row = 0; row < batch->rows(); ++row) {
      if (lost != lost_.end() && *lost == row) {
        ++lost;
        continue;
      }
      slice_of_[kept.size()] = slice_of_[static_cast<std::size_t>(row)];
      kept.push_back(row);
    }
    return take(*batch, kept);
  }

  void add(const RecordBatch& batch) {
    const auto rows = static_cast<std::size_t>(batch.rows());
    rows_.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      if (slice_of_[i] != named_ || name_.empty()) open_slice(slice_of_[i]);
      const auto row = static_cast<std::int64_t>(i);
      table_.look_ahead(name_, input_.keys().hashes(), row, values_);
      rows_[i] = values_.row(table_->touch(name_, input_.keys()[row], input_.keys().hash(row)).slot);
    }
    input_.arguments().update(rows_, input_.sequence());
  }

  void open_slice(std::int64_t end) {
    named_ = end;
    name_ = window_name(end);
  }

  /// The end of the first window with rows that has not fired.
  std::optional<std::int64_t> next_window() {
    const std::optional<std::string>& slice = table_->first_window();
    if (!slice) return std::nullopt;
    const std::int64_t first = shape_.first_window_end(window_time(*slice));
    return first - 1 > fired_ ? first : shape_.window_end_from(fired_ + 2);
  }

  /// Fires the windows up to the target. kMore when the output is full.
  Progress fire(Output& out) {
    while (true) {
      if (output_.full() && !emit(out)) return Progress::kMore;
      if (!firing_) {
        const std::optional<std::int64_t> next = next_window();
        if (!next || *next - 1 > target_) break;
        begin_window(*next);
      }
      for (; groups_.valid() && !output_.full(); groups_.next())
        output_.add(groups_.key(), start_, end_, groups_.accumulators());
      if (!groups_.valid()) end_window();
    }
    if (output_.size() > 0 && !emit(out)) return Progress::kMore;
    fired_ = target_;
    watermark_.advance({target_});
    return Progress::kDone;
  }

  /// True unless the output is full.
  bool emit(Output& out) {
    if (emitted_ && out.full()) return false;
    emitted_ = true;
    output_.emit(input_.evaluation().next(output_.size()), *counters_, out);
    return true;
  }

  void begin_window(std::int64_t end) {
    firing_ = true;
    end_ = end;
    start_ = shape_.window_start(end);
    if (shape_.kind == WindowShape::Kind::kCumulate) fold(end);
    groups_.clear();
    const std::string last = window_name(end);
    for (auto slice = slice_behind(start_); slice && *slice <= last;) {
      const std::int64_t run = run_size_ > 0 ? run_end(window_time(*slice)) : INT64_MAX;
      if (run <= end && run - run_size_ >= start_) {
        groups_.add(run_of_slices(run));
        slice = table_->next_window(window_name(run));
      } else {
        groups_.add(std::make_unique<SliceCursor>(*table_, *slice, values_));
        slice = table_->next_window(*slice);
      }
    }
    groups_.begin();
  }

  /// How long runs are; 0 where windows have few slices.
  static std::int64_t run_size(const WindowShape& shape) {
    const std::int64_t slices = shape.kind == WindowShape::Kind::kHopping && !shape.zone ? shape.size / shape.slice : 0;
    return slices < kFewSlices ? 0 : static_cast<std::int64_t>(std::sqrt(static_cast<double>(slices))) * shape.slice;
  }
  /// The end of the run that a slice belongs to.
  std::int64_t run_end(std::int64_t slice) const {
    return WindowShape::tumbling({run_size_}, {shape_.offset}).slice_end(slice - 1);
  }

  std::unique_ptr<GroupCursor> merge_of_slices(std::int64_t run) {
    auto merge = std::make_unique<SliceMerge>(*plan_->calls);
    const std::string last = window_name(run);
    for (auto slice = slice_behind(run - run_size_); slice && *slice <= last; slice = table_->next_window(*slice))
      merge->add(std::make_unique<SliceCursor>(*table_, *slice, values_));
    merge->begin();
    return merge;
  }

  /// The groups of a run: as it is kept, or merged as it is read where it does not fit.
  std::unique_ptr<GroupCursor> run_of_slices(std::int64_t end) {
    const auto [run, is_new] = runs_.try_emplace(end);
    if (is_new) {
      const auto groups = merge_of_slices(end);
      run->second = SliceRun::of(*plan_->calls, *groups, most_run_bytes_ - std::min(most_run_bytes_, run_bytes_));
      if (run->second) run_bytes_ += run->second->bytes();
    }
    if (run->second) return std::make_unique<RunCursor>(run->second);
    return merge_of_slices(end);
  }

  void drop_run(std::int64_t end) {
    const auto run = runs_.find(end);
    if (run == runs_.end()) return;
    if (run->second) run_bytes_ -= run->second->bytes();
    runs_.erase(run);
  }

  /// Brings what a cumulating window holds so far into the slice that ends with it.
  void fold(std::int64_t end) {
    const std::string into = window_name(end);
    for (auto slice = slice_behind(start_); slice && *slice < into; slice = slice_behind(start_)) {
      for (WindowScan scan(*table_, *slice); scan.valid(); scan.next()) {
        const StateSlot to = table_->touch(into, scan.key()).slot;
        plan_->calls->merge(values_.row(to), values_.row(scan.slot()));
      }
      drop(*slice);
    }
  }

  /// The first slice that ends after a time. When windows fire in order it is the first of all.
  std::optional<std::string> slice_behind(std::int64_t time) {
    const std::string name = window_name(time);
    const std::optional<std::string>& first = table_->first_window();
    return !first || *first > name ? first : table_->next_window(name);
  }

  /// Drops the slices and runs that no later window needs.
  void end_window() {
    firing_ = false;
    groups_.clear();
    fired_ = end_ - 1;
    while (!runs_.empty() && runs_.begin()->first - run_size_ < start_ + shape_.every) drop_run(runs_.begin()->first);
    while (const std::optional<std::string> slice = table_->first_window()) {
      const std::int64_t end = window_time(*slice);
      if (end > end_ || shape_.last_window_end(end) > end_) return;
      drop(*slice);
    }
  }

  void drop(const std::string& slice) {
    table_->drop(slice);
    if (slice == name_) name_.clear();
  }

  const AggregatePlanPtr plan_;
  const WindowShape shape_;
  AggregateInput input_;
  AggregateRows values_;
  KeyedTable table_;
  TaskCounters* counters_ = nullptr;

  StepWatermark& watermark_;
  std::int64_t fired_ = Timestamp::none().micros;  ///< all windows up to this end - 1 have fired
  std::int64_t named_ = 0;                         ///< the slice whose name name_ is
  std::string name_;

  // Of one batch.
  std::vector<std::int64_t> slice_of_;
  std::vector<std::int32_t> late_, lost_;  ///< too late for some window; for all of them
  std::vector<std::byte*> rows_;

  // While firing.
  std::int64_t target_ = Timestamp::none().micros, start_ = 0, end_ = 0;
  bool firing_ = false;  ///< a window, whose next groups are those of groups_
  SliceMerge groups_;
  AggregateOutput output_;
  bool emitted_ = false;

  // Of windows of many slices.
  static constexpr std::int64_t kFewSlices = 32;
  std::int64_t run_size_ = 0;
  std::map<std::int64_t, std::shared_ptr<const SliceRun>> runs_;  ///< by end; null: does not fit in what is left for them
  std::size_t run_bytes_ = 0, most_run_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Operator> make_window_aggregate(AggregatePlanPtr plan, KeyedState& state) {
  return std::make_unique<WindowAggregate>(std::move(plan), state);
}

}  // namespace weir
