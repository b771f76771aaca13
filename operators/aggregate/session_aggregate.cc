#include "operators/aggregate/aggregate_input.h"
#include "operators/aggregate/aggregate_output.h"
#include "operators/aggregate/group_changes.h"
#include "operators/aggregate/open_sessions.h"
#include "operators/aggregate/session_rows.h"
#include "operators/aggregate/session_timers.h"
#include "operators/keyed_table.h"

namespace weir {
namespace {

/// Aggregates the rows of a key into sessions: [t, t + gap) of each row, merged where they overlap or touch. A session comes
/// out when the watermark W reaches its end, since a row at just that time would still touch it; or, with `emit: on_update`,
/// every change of it at once: then one that another swallows is deleted. A row that touches no open session is late when
/// the last microsecond of its own is at or behind W.
///
/// The open sessions of a key are one row of state. Invariant: a key with sessions has a timer that is not later than its
/// first session's end.
class SessionAggregate final : public Operator {
 public:
  explicit SessionAggregate(std::shared_ptr<const AggregatePlan> plan)
      : plan_(std::move(plan)),
        gap_(plan_->gap.micros),
        input_(*plan_),
        values_(*plan_->calls),
        timers_(gap_),
        output_(*plan_),
        changes_(*plan_) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    counters_ = task.counters;
    table_.open(task, plan_->on_update ? "updates" : "sessions", 0, values_);
    finite_ = task.restored_watermark();
    watermark_ = finite_.micros;
    timers_.open(task);
    trash_ = values_.take();
    const std::uint64_t memory = task.attempt->memory / static_cast<std::uint64_t>(task.parallelism);
    few_ = memory >> 14;
    most_open_ = std::max<std::uint64_t>(2048, memory / 32);
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    const std::int64_t rows = batch->rows();
    batch = input_.take_batch(std::move(batch), out);
    if (batch->rows() == 0) return Progress::kDone;
    late_.clear();
    if (plan_->on_update) {
      changes_.begin(batch->rows() != rows);  // errors of rows went out
      batch_ = std::move(batch);
      row_ = 0;
      return change_rows(out);
    }
    const std::int64_t* times = batch->column(plan_->time).values<std::int64_t>();
    session_of_.clear();
    for (std::int64_t row = 0; row < batch->rows(); ++row) session_of_.push_back(find_session(row, times[row]).accumulators);
    rows_.clear();
    for (const StateSlot session : session_of_) rows_.push_back(values_.row(merged_into(session)));
    input_.arguments().update(rows_, input_.sequence());
    for (const auto& [from, to] : merged_) values_.give_back({from});
    merged_.clear();
    if (!late_.empty()) let_late_go(*batch, out);
    return make_room();
  }

  Progress on_watermark(Timestamp w, Output& out) override {
    if (w.micros <= watermark_) return Progress::kDone;
    watermark_ = w.micros;
    if (w != Timestamp::infinity()) finite_ = w;
    closing_ = true;
    emitted_ = false;
    return close(out);
  }

  /// A session that ends just behind w comes out later, with its last microsecond as its time.
  Timestamp output_watermark(Timestamp w) const override {
    return w == Timestamp::none() || w == Timestamp::infinity() ? w : Timestamp{w.micros - 1};
  }

  Progress on_end(Output&) override { return wait_for_commit(); }
  Progress on_barrier(Epoch epoch, Output&) override {
    table_.on_barrier(epoch);
    timers_.table().on_barrier(epoch);
    return Progress::kDone;
  }

  Progress resume(Output& out) override {
    emitted_ = false;
    changes_.begin(false);
    if (batch_) return change_rows(out);
    return closing_ ? close(out) : wait_for_commit();
  }

  void snapshot(TaskSnapshot& snapshot) override {
    table_.snapshot(snapshot);
    timers_.table().snapshot(snapshot);
    if (finite_ != Timestamp::none()) snapshot.watermarks.push_back({plan_->step, finite_});
  }
  void on_committed(Epoch epoch) override {
    table_.on_committed(epoch);
    timers_.table().on_committed(epoch);
  }

 private:
  struct Closed {
    std::string key;
    Session session;
  };

  Progress wait_for_commit() {
    const Progress rows = table_.on_end(), timers = timers_.table().on_end();
    return rows == Progress::kDone ? timers : rows;
  }
  std::uint64_t slot_bytes() const { return sizeof(std::vector<Session>); }
  Progress make_room() {
    const Progress rows = table_.make_room(slot_bytes());
    const Progress timers = timers_.table().make_room(sizeof(std::int64_t));
    return rows == Progress::kDone ? timers : rows;
  }

  bool touches(const Session& s, std::int64_t time) const { return s.start <= end_of(time) && s.end >= time; }
  std::int64_t end_of(std::int64_t time) const {
    std::int64_t end;
    return __builtin_add_overflow(time, gap_, &end) ? INT64_MAX : end;
  }

  /// Sessions are in order and do not touch one another: the first that ends at or behind a row is the first that it may
  /// touch.
  static std::vector<Session>::iterator first_near(std::vector<Session>& sessions, std::int64_t time) {
    return std::partition_point(sessions.begin(), sessions.end(), [&](const Session& s) { return s.end < time; });
  }
  bool touches_one(std::vector<Session>& sessions, std::int64_t time) const {
    const auto first = first_near(sessions, time);
    return first != sessions.end() && touches(*first, time);
  }

  /// Adds one row to its session, and remembers what that changes.
  void change(std::int64_t row, std::int64_t time) {
    const Session session = find_session(row, time);
    if (session.accumulators == trash_) return;
    for (const auto& [from, to] : merged_) values_.give_back({from});
    merged_.clear();
    std::byte* accumulators = values_.row(session.accumulators);
    input_.arguments().update_one(row, accumulators, false, input_.sequence());
    changes_.after(input_.keys()[row], session.start, session.end, accumulators);
    changes_.done();
  }

  /// Adds the rows of batch_ from row_ on, and hands on what that changes.
  Progress change_rows(Output& out) {
    const std::int64_t* times = batch_->column(plan_->time).values<std::int64_t>();
    for (; row_ < batch_->rows(); ++row_) {
      if (changes_.full() && !emit_changes(out)) return Progress::kMore;
      change(row_, times[row_]);
    }
    if (!emit_changes(out)) return Progress::kMore;
    if (!late_.empty()) let_late_go(*batch_, out);
    batch_.reset();
    return make_room();
  }

  bool emit_changes(Output& out) { return changes_.emit(input_.evaluation(), *counters_, out); }

  /// The sessions that a row is about to join: what they were, the first one last, since that one stays.
  void remember(std::span<const Session> joined, std::string_view key) {
    for (std::size_t i = joined.size(); i-- > 0;) {
      changes_.before(key, joined[i].start, joined[i].end, values_.row(joined[i].accumulators));
      if (i > 0) changes_.done();
    }
  }

  /// The session that a row belongs to, perhaps a new one; for a late row one with the accumulators `trash_`.
  Session find_session(std::int64_t row, std::int64_t time) {
    const std::string_view key = input_.keys()[row];
    const std::uint64_t hash = input_.hashes()[static_cast<std::size_t>(row)];
    table_.look_ahead({}, input_.hashes(), row, values_);
    if (end_of(time) - 1 <= watermark_) {
      const StateSlot* there = table_->find({}, key, hash);
      if (!there || !touches_one(values_.at(*there), time)) {
        late_.push_back(static_cast<std::int32_t>(row));
        return {0, 0, trash_};
      }
    }
    const StateSlot slot = table_->touch({}, key, hash).slot;
    return join(values_.at(slot), key, time);
  }

  Session join(std::vector<Session>& sessions, std::string_view key, std::int64_t time) {
    const auto first = first_near(sessions, time);
    if (first == sessions.end() || !touches(*first, time)) {
      const Session fresh{time, end_of(time), values_.take()};
      if (first == sessions.begin()) timers_.add(fresh.end, key);
      sessions.insert(first, fresh);
      return fresh;
    }
    if (plan_->on_update) {
      const auto joined = std::find_if_not(first, sessions.end(), [&](const Session& s) { return touches(s, time); });
      remember({first, joined}, key);
    }
    first->start = std::min(first->start, time);
    first->end = std::max(first->end, end_of(time));
    auto last = first + 1;
    for (; last != sessions.end() && touches(*last, time); ++last) {
      first->end = std::max(first->end, last->end);
      plan_->calls->merge(values_.row(first->accumulators), values_.row(last->accumulators));
      merged_.emplace_back(last->accumulators.value, first->accumulators.value);
    }
    const Session merged = *first;
    sessions.erase(first + 1, last);
    return merged;
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

  bool at_end() const { return watermark_ == Timestamp::infinity().micros; }

  /// Closes the sessions that end by the watermark and hands them on, in order of their ends: piece by piece of time.
  Progress close(Output& out) {
    while (true) {
      if (hand_on(out) != Progress::kDone) return Progress::kMore;
      choose_way();
      due_.clear();
      const std::optional<std::int64_t> until = timers_.take(watermark_, due_);
      if (!until) break;
      for (const SessionTimer& timer : due_) as_one_ ? find_ended(timer.key, *until) : close_key(timer.key, *until);
      looked_at_ += due_.size();
      closed_until_ = *until;
      std::sort(closed_.begin(), closed_.end(), [](const Closed& a, const Closed& b) {
        return a.session.end != b.session.end ? a.session.end < b.session.end : a.key < b.key;
      });
    }
    closing_ = false;
    looked_at_ = 0;
    if (std::exchange(as_one_, false))
      open_.replace(*table_, values_, [&](const std::string& key, std::int64_t end) { timers_.add(end, key); });
    return Progress::kDone;
  }

  /// At the end of the input, and when a watermark has deleted more keys than memory holds tombstones for until the next
  /// barrier, sessions come out without being deleted, and at last all of them are dropped as one. Not if very many stay
  /// open.
  void choose_way() {
    const RoomPlan rows = table_.shrink(slot_bytes()), timers = timers_.table().shrink(sizeof(std::int64_t));
    if (as_one_) return;
    if (!at_end() && (looked_at_ <= few_ || !(rows.want_checkpoint || timers.want_checkpoint))) return;
    as_one_ = at_end() || open_.collect(*table_, values_, watermark_, most_open_);
    looked_at_ = 0;  // if not: the same again before it is tried once more
  }

  void close_key(const std::string& key, std::int64_t until) {
    const StateSlot* there = table_->find({}, key);
    if (!there) return;
    if (values_.at(*there).front().end > until) return timers_.add(values_.at(*there).front().end, key);
    std::vector<Session>& sessions = values_.at(table_->touch({}, key).slot);
    std::size_t closed = 0;
    for (; closed < sessions.size() && sessions[closed].end <= until; ++closed) closed_.push_back({key, sessions[closed]});
    sessions.erase(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(closed));
    if (sessions.empty()) table_->erase({}, key);
    else timers_.add(sessions.front().end, key);
  }

  /// As close_key, where all is dropped at last.
  void find_ended(const std::string& key, std::int64_t until) {
    const StateSlot* there = table_->find({}, key);
    if (!there) return;
    for (const Session& s : values_.at(*there)) {
      if (s.end <= closed_until_) continue;
      if (s.end > watermark_) return;
      if (s.end > until) return timers_.add(s.end, key);
      closed_.push_back({key, s});
    }
  }

  Progress hand_on(Output& out) {
    if (plan_->on_update) {  // they are out already
      if (!as_one_)
        for (const Closed& c : closed_) values_.give_back(c.session.accumulators);
      closed_.clear();
    }
    while (next_ < closed_.size() || output_.size() > 0) {
      for (; next_ < closed_.size() && !output_.full(); ++next_) {
        const auto& [key, session] = closed_[next_];
        output_.add(key, session.start, session.end, values_.row(session.accumulators));
        if (!as_one_) values_.give_back(session.accumulators);
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
  SessionTimers timers_;

  // Of one batch.
  std::vector<StateSlot> session_of_;  ///< accumulators of each row, merged or not
  std::vector<std::pair<std::uint32_t, std::uint32_t>> merged_;
  std::vector<std::byte*> rows_;
  std::vector<std::int32_t> late_;
  StateSlot trash_;  ///< accumulators of what is late

  // While sessions come out.
  bool closing_ = false;
  std::int64_t closed_until_ =
      Timestamp::none().micros;  ///< the ends of sessions that came out in this piece of time or before
  std::vector<SessionTimer> due_;
  std::vector<Closed> closed_;
  std::size_t next_ = 0;
  AggregateOutput output_;
  bool emitted_ = false;
  std::uint64_t few_ = 0;        ///< keys that are deleted one by one in any case
  std::uint64_t most_open_ = 0;  ///< bytes of open sessions that are written again
  std::uint64_t looked_at_ = 0;  ///< keys, for this watermark
  bool as_one_ = false;          ///< the sessions that end are dropped as one, and these stay:
  OpenSessions open_;

  // With on_update.
  GroupChanges changes_;
  BatchPtr batch_;        ///< the one that is being added
  std::int64_t row_ = 0;  ///< its next row
};

}  // namespace

std::unique_ptr<Operator> make_session_aggregate(std::shared_ptr<const AggregatePlan> plan) {
  return std::make_unique<SessionAggregate>(std::move(plan));
}

}  // namespace weir
