#include <queue>

#include "operators/aggregate_input.h"
#include "operators/aggregate_output.h"
#include "operators/keyed_table.h"
#include "operators/session_rows.h"
#include "runtime/state/window_scan.h"

namespace weir {
namespace {

/// Aggregates the rows of a key into sessions: [t, t + gap) of each row, merged where they overlap or touch. A session comes out when the
/// watermark reaches its end.
///
/// The open sessions of a key are one row of state. When to look at a key is kept in memory only and found again from the state.
/// Invariant: a key with sessions has an entry in `due_` that is not later than its first session's end.
class SessionAggregate final : public Operator {
 public:
  explicit SessionAggregate(std::shared_ptr<const AggregatePlan> plan)
      : plan_(std::move(plan)), gap_(plan_->gap.micros), input_(*plan_), values_(*plan_->calls), output_(*plan_) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    table_.open(task, "sessions", 0, values_);
    finite_ = task.restored_watermark();
    watermark_ = finite_.micros;
    trash_ = values_.take();
    for (WindowScan scan(*table_, {}); scan.valid(); scan.next())
      due_.push({values_.at(scan.slot()).front().end, std::string(scan.key())});
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch = input_.take_batch(std::move(batch), out);
    if (batch->rows() == 0) return Progress::kDone;
    const std::int64_t* times = batch->column(plan_->time).values<std::int64_t>();
    session_of_.clear();
    late_.clear();
    for (std::int64_t row = 0; row < batch->rows(); ++row) session_of_.push_back(find_session(row, times[row]));
    rows_.clear();
    for (const StateSlot session : session_of_) rows_.push_back(values_.row(merged_into(session)));
    input_.arguments().update(rows_, input_.sequence());
    for (const auto& [from, to] : merged_) values_.give_back({from});
    merged_.clear();
    if (!late_.empty()) let_late_go(*batch, out);
    table_.trim(plan_->calls->row_size() + sizeof(Session) + sizeof(std::vector<Session>));
    return Progress::kDone;
  }

  Progress on_watermark(Timestamp w, Output& out) override {
    if (w.micros <= watermark_) return Progress::kDone;
    watermark_ = w.micros;
    if (w != Timestamp::infinity()) finite_ = w;
    close_due();
    emitted_ = false;
    return hand_on(out);
  }

  Progress on_end(Output&) override { return table_.on_end(); }
  Progress on_barrier(Epoch epoch, Output&) override { return table_.on_barrier(epoch), Progress::kDone; }

  Progress resume(Output& out) override {
    if (closed_.empty()) return table_.on_end();
    emitted_ = false;
    return hand_on(out);
  }

  void snapshot(TaskSnapshot& snapshot) override {
    table_.snapshot(snapshot);
    if (finite_ != Timestamp::none()) snapshot.watermarks.push_back({plan_->step, finite_});
  }
  void on_committed(Epoch epoch) override { table_.on_committed(epoch); }

 private:
  struct Due {
    std::int64_t end;
    std::string key;
    bool operator>(const Due& o) const { return end > o.end; }
  };
  struct Closed {
    std::string key;
    Session session;
  };

  bool touches(const Session& s, std::int64_t time) const { return s.start <= end_of(time) && s.end >= time; }
  std::int64_t end_of(std::int64_t time) const {
    std::int64_t end;
    return __builtin_add_overflow(time, gap_, &end) ? INT64_MAX : end;
  }

  /// The accumulators of the session that a row belongs to, perhaps a new one; those of no session for a late row.
  StateSlot find_session(std::int64_t row, std::int64_t time) {
    const std::string_view key = input_.keys()[row];
    if (end_of(time) - 1 <= watermark_) {
      const StateSlot* there = table_->find({}, key);
      const auto joins = [&](const Session& s) { return touches(s, time); };
      if (!there || std::none_of(values_.at(*there).begin(), values_.at(*there).end(), joins)) {
        late_.push_back(static_cast<std::int32_t>(row));
        return trash_;
      }
    }
    const StateSlot slot = table_->touch({}, key, input_.hashes()[static_cast<std::size_t>(row)]).slot;
    return join(values_.at(slot), key, time);
  }

  StateSlot join(std::vector<Session>& sessions, std::string_view key, std::int64_t time) {
    auto first = sessions.begin();
    while (first != sessions.end() && !touches(*first, time)) ++first;
    if (first == sessions.end()) {
      const Session fresh{time, end_of(time), values_.take()};
      const auto place = std::find_if(sessions.begin(), sessions.end(), [&](const Session& s) { return s.start > time; });
      if (place == sessions.begin()) due_.push({fresh.end, std::string(key)});
      sessions.insert(place, fresh);
      return fresh.accumulators;
    }
    first->start = std::min(first->start, time);
    first->end = std::max(first->end, end_of(time));
    auto last = first + 1;
    for (; last != sessions.end() && touches(*last, time); ++last) {
      first->end = std::max(first->end, last->end);
      plan_->calls->merge(values_.row(first->accumulators), values_.row(last->accumulators));
      merged_.emplace_back(last->accumulators.value, first->accumulators.value);
    }
    const StateSlot accumulators = first->accumulators;
    sessions.erase(first + 1, last);
    return accumulators;
  }

  /// Where the accumulators are into which those of a session have gone in this batch.
  StateSlot merged_into(StateSlot session) const {
    for (const auto& [from, to] : merged_)  // in the order of merging
      if (from == session.value) session.value = to;
    return session;
  }

  void let_late_go(const RecordBatch& batch, Output& out) {
    plan_->calls->clear(values_.row(trash_));
    counters_->late.add(late_.size());
    out.emit(kLatePort, take(batch, late_));
  }

  /// Takes the sessions that end by the watermark out of the state, in order of their ends.
  void close_due() {
    while (!due_.empty() && due_.top().end - 1 <= watermark_) {
      std::string key = due_.top().key;
      due_.pop();
      const StateSlot* there = table_->find({}, key);
      if (!there) continue;
      const bool closes = values_.at(*there).front().end - 1 <= watermark_;
      std::vector<Session>& sessions = values_.at(closes ? table_->touch({}, key).slot : *there);
      std::size_t closed = 0;
      for (; closed < sessions.size() && sessions[closed].end - 1 <= watermark_; ++closed) closed_.push_back({key, sessions[closed]});
      sessions.erase(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(closed));
      if (sessions.empty()) table_->erase({}, key);
      else due_.push({sessions.front().end, std::move(key)});
    }
    std::sort(closed_.begin(), closed_.end(), [](const Closed& a, const Closed& b) {
      return a.session.end != b.session.end ? a.session.end < b.session.end : a.key < b.key;
    });
  }

  Progress hand_on(Output& out) {
    while (next_ < closed_.size() || output_.size() > 0) {
      for (; next_ < closed_.size() && output_.size() < AggregateOutput::kRows; ++next_) {
        const auto& [key, session] = closed_[next_];
        output_.add(key, session.start, session.end, values_.row(session.accumulators));
        values_.give_back(session.accumulators);
      }
      if (emitted_ && out.full()) return Progress::kMore;
      emitted_ = true;
      output_.emit(input_.evaluation().next(output_.size()), *counters_, out);
    }
    closed_.clear();
    next_ = 0;
    return Progress::kDone;
  }

  const std::shared_ptr<const AggregatePlan> plan_;
  const std::int64_t gap_;
  AggregateInput input_;
  SessionRows values_;
  KeyedTable table_;
  TaskCounters* counters_ = nullptr;
  std::int64_t watermark_ = Timestamp::none().micros;
  Timestamp finite_ = Timestamp::none();  ///< the last watermark before the end of the input
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;

  // Of one batch.
  std::vector<StateSlot> session_of_;  ///< accumulators of each row, merged or not
  std::vector<std::pair<std::uint32_t, std::uint32_t>> merged_;
  std::vector<std::byte*> rows_;
  std::vector<std::int32_t> late_;
  StateSlot trash_;  ///< accumulators of what is late

  // While sessions come out.
  std::vector<Closed> closed_;
  std::size_t next_ = 0;
  AggregateOutput output_;
  bool emitted_ = false;
};

}  // namespace

std::unique_ptr<Operator> make_session_aggregate(std::shared_ptr<const AggregatePlan> plan) {
  return std::make_unique<SessionAggregate>(std::move(plan));
}

}  // namespace weir
