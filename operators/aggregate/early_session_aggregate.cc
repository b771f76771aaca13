#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/group_changes.h"
#include "operators/aggregate/keyed_sessions.h"

namespace weir {
namespace {

/// Aggregates the rows of a key into sessions (KeyedSessions), and emits every change of a session at once. One that another
/// swallows is deleted; when the watermark closes a session its row stays as it is. Row by row, so that the changes do not
/// depend on the size of batches.
class EarlySessionAggregate final : public Operator {
 public:
  EarlySessionAggregate(AggregatePlanPtr plan, KeyedState& state)
      : plan_(std::move(plan)),
        input_(*plan_),
        watermark_(state.watermark()),
        sessions_(*plan_, state, "updates"),
        changes_(*plan_) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    sessions_.open(task);
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch_ = input_.take_batch(batch, out);
    row_ = 0;
    late_.clear();
    changes_.begin(batch_->rows() != batch->rows());  // errors of rows went out
    return change_rows(out);
  }

  Progress on_watermark(Timestamp w, Output&) override {
    if (!watermark_.advance(w)) return Progress::kDone;
    while (sessions_.close(closed_)) {
      for (const ClosedSession& c : closed_) sessions_.release(c);
      closed_.clear();
    }
    return Progress::kDone;
  }

  /// As that of SessionAggregate: the row of a session that ends just behind w may still change.
  Timestamp output_watermark(Timestamp w) const override {
    return w == Timestamp::none() || w == Timestamp::infinity() ? w : Timestamp{w.micros - 1};
  }

  Progress resume(Output& out) override {
    changes_.begin(false);
    return change_rows(out);
  }

 private:
  /// Adds the rows of batch_ from row_ on, and emits what that changes.
  Progress change_rows(Output& out) {
    for (; row_ < batch_->rows(); ++row_) {
      if (changes_.full() && !emit(out)) return Progress::kMore;
      change(batch_->column(plan_->time).values<std::int64_t>()[row_]);
    }
    if (!emit(out)) return Progress::kMore;
    if (!late_.empty()) {
      counters_->late.add(late_.size());
      out.emit(kLatePort, take(*batch_, late_));
    }
    batch_.reset();
    return Progress::kDone;
  }

  bool emit(Output& out) { return changes_.emit(input_.evaluation(), *counters_, out); }

  void change(std::int64_t time) {
    const auto place = sessions_.find(input_.keys(), row_, time);
    if (!place) return late_.push_back(static_cast<std::int32_t>(row_));
    const std::string_view key = input_.keys()[row_];
    remember(place->touched(), key);
    const Session session = sessions_.join(*place, key, time);
    sessions_.forget_merged();
    std::byte* accumulators = sessions_.row(session.accumulators);
    input_.arguments().update_one(row_, accumulators, false, input_.sequence());
    changes_.after(key, session.start, session.end, accumulators);
    changes_.done();
  }

  /// The sessions that a row is about to join: what they were, the first one last, since that one stays.
  void remember(std::span<const Session> joined, std::string_view key) {
    for (std::size_t i = joined.size(); i-- > 0;) {
      changes_.before(key, joined[i].start, joined[i].end, sessions_.row(joined[i].accumulators));
      if (i > 0) changes_.done();
    }
  }

  const AggregatePlanPtr plan_;
  AggregateInput input_;
  StepWatermark& watermark_;
  KeyedSessions sessions_;
  GroupChanges changes_;
  TaskCounters* counters_ = nullptr;

  BatchPtr batch_;        ///< taken and not yet done
  std::int64_t row_ = 0;  ///< its next row
  std::vector<std::int32_t> late_;
  std::vector<ClosedSession> closed_;
};

}  // namespace

std::unique_ptr<Operator> make_early_session_aggregate(AggregatePlanPtr plan, KeyedState& state) {
  return std::make_unique<EarlySessionAggregate>(std::move(plan), state);
}

}  // namespace weir
