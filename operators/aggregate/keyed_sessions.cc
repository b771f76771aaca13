#include "operators/aggregate/keyed_sessions.h"

namespace weir {

KeyedSessions::KeyedSessions(const AggregatePlan& plan, KeyedState& state, const char* table)
    : calls_(*plan.calls),
      gap_(plan.gap.micros),
      watermark_(state.watermark()),
      values_(calls_),
      table_(state, table, values_, sizeof(std::vector<Session>)),
      timers_(gap_, state) {}

void KeyedSessions::open(const TaskContext& task) {
  timers_.open(task);
  const std::uint64_t memory = task.attempt->memory / static_cast<std::uint64_t>(task.parallelism);
  few_ = memory >> 14;
  most_open_ = std::max<std::uint64_t>(2048, memory / 32);
}

std::int64_t KeyedSessions::end_of(std::int64_t time) const {
  std::int64_t end;
  return __builtin_add_overflow(time, gap_, &end) ? INT64_MAX : end;
}

/// Sessions are in order and do not touch one another: the first that ends at or behind a row is the first that it may
/// touch.
KeyedSessions::Place KeyedSessions::place_in(std::vector<Session>& sessions, std::int64_t time) const {
  const auto first = std::partition_point(sessions.begin(), sessions.end(), [&](const Session& s) { return s.end < time; });
  auto last = first;
  while (last != sessions.end() && touches(*last, time)) ++last;
  return {&sessions, static_cast<std::size_t>(first - sessions.begin()), static_cast<std::size_t>(last - sessions.begin())};
}

std::optional<KeyedSessions::Place> KeyedSessions::find(const BatchKeys& keys, std::int64_t row, std::int64_t time) {
  table_.look_ahead({}, keys.hashes(), row, values_);
  if (end_of(time) - 1 <= watermark_.micros()) {
    const StateSlot* there = table_->find({}, keys[row], keys.hash(row));
    if (!there || place_in(values_.at(*there), time).touched().empty()) return std::nullopt;
  }
  return place_in(values_.at(table_->touch({}, keys[row], keys.hash(row)).slot), time);
}

Session KeyedSessions::join(const Place& place, std::string_view key, std::int64_t time) {
  std::vector<Session>& sessions = *place.sessions;
  const auto first = sessions.begin() + static_cast<std::ptrdiff_t>(place.first);
  if (place.touched().empty()) {
    const Session fresh{time, end_of(time), values_.take()};
    if (first == sessions.begin()) timers_.add(fresh.end, key);
    sessions.insert(first, fresh);
    return fresh;
  }
  first->start = std::min(first->start, time);
  first->end = std::max(first->end, end_of(time));
  const auto last = sessions.begin() + static_cast<std::ptrdiff_t>(place.last);
  for (auto other = first + 1; other != last; ++other) {
    first->end = std::max(first->end, other->end);
    calls_.merge(values_.row(first->accumulators), values_.row(other->accumulators));
    merged_.emplace_back(other->accumulators.value, first->accumulators.value);
  }
  const Session merged = *first;
  sessions.erase(first + 1, last);
  return merged;
}

StateSlot KeyedSessions::merged_into(StateSlot session) const {
  for (const auto& [from, to] : merged_)
    if (from == session.value) session.value = to;
  return session;
}

void KeyedSessions::forget_merged() {
  for (const auto& [from, to] : merged_) values_.give_back({from});
  merged_.clear();
}

bool KeyedSessions::close(std::vector<ClosedSession>& closed) {
  choose_way();
  due_.clear();
  const std::optional<std::int64_t> until = timers_.take(watermark_.micros(), due_);
  if (!until) {
    looked_at_ = 0;
    if (std::exchange(as_one_, false))
      open_.replace(*table_, values_, [&](const std::string& key, std::int64_t end) { timers_.add(end, key); });
    return false;
  }
  for (const SessionTimer& timer : due_)
    as_one_ ? find_ended(timer.key, *until, closed) : close_key(timer.key, *until, closed);
  looked_at_ += due_.size();
  closed_until_ = *until;
  std::sort(closed.begin(), closed.end(), [](const ClosedSession& a, const ClosedSession& b) {
    return a.session.end != b.session.end ? a.session.end < b.session.end : a.key < b.key;
  });
  return true;
}

/// At the end of the input, and when a watermark has deleted more keys than memory holds tombstones for until the next
/// barrier, sessions close without being deleted, and at last all of them are dropped as one. Not if very many stay open.
void KeyedSessions::choose_way() {
  const RoomPlan rows = table_.shrink(), timers = timers_.shrink();
  if (as_one_) return;
  if (!watermark_.endless() && (looked_at_ <= few_ || !(rows.want_checkpoint || timers.want_checkpoint))) return;
  as_one_ = watermark_.endless() || open_.collect(*table_, values_, watermark_.micros(), most_open_);
  looked_at_ = 0;  // if not: the same again before it is tried once more
}

void KeyedSessions::close_key(const std::string& key, std::int64_t until, std::vector<ClosedSession>& closed) {
  const StateSlot* there = table_->find({}, key);
  if (!there) return;
  if (values_.at(*there).front().end > until) return timers_.add(values_.at(*there).front().end, key);
  std::vector<Session>& sessions = values_.at(table_->touch({}, key).slot);
  std::size_t ended = 0;
  for (; ended < sessions.size() && sessions[ended].end <= until; ++ended) closed.push_back({key, sessions[ended]});
  sessions.erase(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(ended));
  if (sessions.empty()) table_->erase({}, key);
  else timers_.add(sessions.front().end, key);
}

/// As close_key, where all is dropped at last.
void KeyedSessions::find_ended(const std::string& key, std::int64_t until, std::vector<ClosedSession>& closed) {
  const StateSlot* there = table_->find({}, key);
  if (!there) return;
  for (const Session& s : values_.at(*there)) {
    if (s.end <= closed_until_) continue;
    if (s.end > watermark_.micros()) return;
    if (s.end > until) return timers_.add(s.end, key);
    closed.push_back({key, s});
  }
}

}  // namespace weir
