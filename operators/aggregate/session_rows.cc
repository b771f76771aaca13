#include "operators/aggregate/session_rows.h"

namespace weir {

StateSlot SessionRows::take() {
  if (free_.empty()) {
    const std::uint32_t before = slots_;
    slots_ += std::clamp<std::uint32_t>(slots_, 64, 1024);
    rows_.reserve(slots_);
    for (std::uint32_t i = slots_; i-- > before;) free_.push_back({i});
  }
  const StateSlot slot = free_.back();
  free_.pop_back();
  rows_.reset(slot);
  return slot;
}

void SessionRows::reset(StateSlot slot) {
  for (const Session& s : at(slot)) give_back(s.accumulators);
  at(slot).clear();
}

void SessionRows::copy(StateSlot from, StateSlot to) {
  reset(to);
  for (const Session& s : at(from)) {
    const StateSlot own = take();
    rows_.copy(s.accumulators, own);
    at(to).push_back({s.start, s.end, own});
  }
}

std::uint64_t SessionRows::owned_bytes(StateSlot slot) const {
  std::uint64_t bytes = at(slot).capacity() * sizeof(Session);
  for (const Session& s : at(slot)) bytes += calls_.row_size() + calls_.owned_bytes(rows_.row(s.accumulators));
  return bytes;
}

void SessionRows::encode(StateSlot slot, std::string& out) const {
  const std::vector<Session>& sessions = at(slot);
  RowWriter value(out, 1);
  value.list(sessions.size());
  RowWriter list(out, sessions.size());
  for (const Session& s : sessions) {
    list.row();
    RowWriter row(out, 2 + calls_.calls().size());
    row.integer(s.start);
    row.integer(s.end);
    calls_.encode(rows_.row(s.accumulators), out, row);
  }
}

void SessionRows::decode(StateSlot slot, std::string_view bytes) {
  reset(slot);
  RowReader value(bytes, 1);
  if (value.null()) return;
  const std::size_t size = value.list();
  RowReader list(bytes, size);
  for (std::size_t i = 0; i < size; ++i) {
    list.row();
    RowReader row(bytes, 2 + calls_.calls().size());
    Session session{};
    if (!row.null()) session.start = row.integer();
    if (!row.null()) session.end = row.integer();
    session.accumulators = take();
    at(slot).push_back(session);
    calls_.decode(rows_.row(session.accumulators), bytes, row);
  }
}

}  // namespace weir
