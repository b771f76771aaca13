#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/aggregate_output.h"
#include "operators/aggregate/keyed_sessions.h"

namespace weir {
namespace {

/// Aggregates the rows of a key into sessions (KeyedSessions), and emits a session when it closes.
class SessionAggregate final : public Operator {
 public:
  SessionAggregate(AggregatePlanPtr plan, KeyedState& state)
      : plan_(std::move(plan)),
        input_(*plan_),
        watermark_(state.watermark()),
        sessions_(*plan_, state, "sessions"),
        output_(*plan_) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    sessions_.open(task);
    trash_ = sessions_.take();
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch = input_.take_batch(std::move(batch), out);
    if (batch->rows() == 0) return Progress::kDone;
    const std::int64_t* times = batch->column(plan_->time).values<std::int64_t>();
    session_of_.clear();
    late_.clear();
    for (std::int64_t row = 0; row < batch->rows(); ++row) session_of_.push_back(find_session(row, times[row]));
    rows_.clear();
    for (const StateSlot session : session_of_) rows_.push_back(sessions_.row(sessions_.merged_into(session)));
    input_.arguments().update(rows_, input_.sequence());
    sessions_.forget_merged();
    if (!late_.empty()) let_late_go(*batch, out);
    return Progress::kDone;
  }

  Progress on_watermark(Timestamp w, Output& out) override {
    if (!watermark_.advance(w)) return Progress::kDone;
    return resume(out);
  }

  /// A session that ends just behind w comes out later, with its last microsecond as its time.
  Timestamp output_watermark(Timestamp w) const override {
    return w == Timestamp::none() || w == Timestamp::infinity() ? w : Timestamp{w.micros - 1};
  }

  /// Closes the sessions that end by the watermark and emits them, in order of their ends.
  Progress resume(Output& out) override {
    emitted_ = false;
    do {
      if (!emit_closed(out)) return Progress::kMore;
    } while (sessions_.close(closed_));
    return Progress::kDone;
  }

 private:
  /// The accumulators of the session that a row belongs to; for a late row those of what is late.
  StateSlot find_session(std::int64_t row, std::int64_t time) {
    const auto place = sessions_.find(input_.keys(), row, time);
    if (place) return sessions_.join(*place, input_.keys()[row], time).accumulators;
    late_.push_back(static_cast<std::int32_t>(row));
    return trash_;
  }

  void let_late_go(const RecordBatch& batch, Output& out) {
    plan_->calls->clear(sessions_.row(trash_));
    counters_->late.add(late_.size());
    out.emit(kLatePort, take(batch, late_));
  }

  /// False while the output is full.
  bool emit_closed(Output& out) {
    while (next_ < closed_.size() || output_.size() > 0) {
      for (; next_ < closed_.size() && !output_.full(); ++next_) {
        const auto& [key, session] = closed_[next_];
        output_.add(key, session.start, session.end, sessions_.row(session.accumulators));
        sessions_.release(closed_[next_]);
      }
      if (emitted_ && out.full()) return false;
      emitted_ = true;
      output_.emit(input_.evaluation().next(output_.size()), *counters_, out);
    }
    closed_.clear();
    next_ = 0;
    return true;
  }

  const AggregatePlanPtr plan_;
  AggregateInput input_;
  StepWatermark& watermark_;
  KeyedSessions sessions_;
  TaskCounters* counters_ = nullptr;

  // Of one batch.
  std::vector<StateSlot> session_of_;  ///< accumulators of each row, merged or not
  std::vector<std::byte*> rows_;
  std::vector<std::int32_t> late_;
  StateSlot trash_;  ///< accumulators of what is late

  // While sessions come out.
  std::vector<ClosedSession> closed_;
  std::size_t next_ = 0;
  AggregateOutput output_;
  bool emitted_ = false;
};

}  // namespace

std::unique_ptr<Operator> make_session_aggregate(AggregatePlanPtr plan, KeyedState& state) {
  return std::make_unique<SessionAggregate>(std::move(plan), state);
}

}  // namespace weir
