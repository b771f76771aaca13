#include "operators/aggregate/open_sessions.h"

#include "runtime/state/window_scan.h"

namespace weir {

bool OpenSessions::collect(StateTable& table, const SessionRows& values, std::int64_t until, std::uint64_t most_bytes) {
  constexpr std::uint64_t kKey = 96;  // two strings, with what the heap adds to them
  until_ = until;
  keys_.clear();
  std::uint64_t bytes = 0;
  for (WindowScan scan(table, ""); scan.valid() && bytes <= most_bytes; scan.next()) {
    if (values.at(scan.slot()).back().end <= until) continue;
    std::string sessions;
    values.encode(scan.slot(), sessions);
    bytes += kKey + scan.key().size() + sessions.size();
    keys_.emplace_back(scan.key(), std::move(sessions));
  }
  if (bytes > most_bytes) keys_ = {};
  return bytes <= most_bytes;
}

std::int64_t OpenSessions::write(StateTable& table, SessionRows& values, const std::string& key,
                                 std::string_view bytes) const {
  const StateSlot slot = table.touch({}, key).slot;
  values.decode(slot, bytes);
  std::vector<Session>& sessions = values.at(slot);
  const auto open = std::find_if(sessions.begin(), sessions.end(), [&](const Session& s) { return s.end > until_; });
  for (auto ended = sessions.begin(); ended != open; ++ended) values.give_back(ended->accumulators);
  sessions.erase(sessions.begin(), open);
  return sessions.front().end;
}

}  // namespace weir
