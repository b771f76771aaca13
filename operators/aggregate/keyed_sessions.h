#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/aggregate/aggregate_plan.h"
#include "operators/aggregate/open_sessions.h"
#include "operators/aggregate/session_rows.h"
#include "operators/aggregate/session_timers.h"

namespace weir {

/// A session that ended.
struct ClosedSession {
  std::string key;
  Session session;
};

/// The sessions of a task's keys: [t, t + gap) of each row, merged where they overlap or touch. A session closes when the
/// watermark W reaches its end, since a row at just that time would still touch it. A row that touches no open session is
/// late when the last microsecond of its own is at or behind W.
///
/// The open sessions of a key are one row of state. Invariant: a key with sessions has a timer that is not later than its
/// first session's end. Belongs to the task's thread.
class KeyedSessions {
 public:
  /// `table`: the name of the declared table that holds them.
  KeyedSessions(const AggregatePlan& plan, KeyedState& state, const char* table);
  void open(const TaskContext& task);

  /// Accumulators that have seen nothing, for the caller's own use.
  StateSlot take() { return values_.take(); }
  std::byte* row(StateSlot accumulators) const { return values_.row(accumulators); }

  /// Where a row goes: among the sessions of its key. Those that it touches become one; none: it begins another.
  struct Place {
    std::vector<Session>* sessions;
    std::size_t first, last;  ///< of those that it touches
    std::span<const Session> touched() const { return {sessions->data() + first, last - first}; }
  };
  /// Nothing for a row that is late. Holds until the next call.
  std::optional<Place> find(const BatchKeys& keys, std::int64_t row, std::int64_t time);
  /// Puts the row there, and returns its session. Accumulators of sessions that go into it are merged into its own.
  Session join(const Place& place, std::string_view key, std::int64_t time);
  /// Where the accumulators are into which those of a session have been merged since forget_merged().
  StateSlot merged_into(StateSlot session) const;
  void forget_merged();

  /// Closes the next sessions that end by the watermark, those of one piece of time in order of their ends, some thousands
  /// at a time. False when no more do; it must be called until then.
  bool close(std::vector<ClosedSession>& closed);
  /// A session that close() gave is done with.
  void release(const ClosedSession& closed) {
    if (!as_one_) values_.give_back(closed.session.accumulators);
  }

 private:
  std::int64_t end_of(std::int64_t time) const;
  bool touches(const Session& s, std::int64_t time) const { return s.start <= end_of(time) && s.end >= time; }
  Place place_in(std::vector<Session>& sessions, std::int64_t time) const;
  void choose_way();
  void close_key(const std::string& key, std::int64_t until, std::vector<ClosedSession>& closed);
  void find_ended(const std::string& key, std::int64_t until, std::vector<ClosedSession>& closed);

  const AggregateCalls& calls_;
  const std::int64_t gap_;
  StepWatermark& watermark_;
  SessionRows values_;
  KeyedTable table_;
  SessionTimers timers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> merged_;  ///< accumulators: from, to; in the order of merging

  // While sessions close.
  std::int64_t closed_until_ = Timestamp::none().micros;  ///< what ends by then came out for this watermark
  std::vector<SessionTimer> due_;
  std::uint64_t few_ = 0;        ///< keys that are deleted one by one in any case
  std::uint64_t most_open_ = 0;  ///< bytes of open sessions that are written again
  std::uint64_t looked_at_ = 0;  ///< keys, for this watermark
  bool as_one_ = false;          ///< the sessions that end are dropped as one, and these stay:
  OpenSessions open_;
};

}  // namespace weir
