#include "runtime/state/state_budget.h"

#include <algorithm>

namespace weir {

RoomPlan plan_room(const StateMemory& memory, std::uint64_t share) {
  RoomPlan plan;
  const std::uint64_t row_bytes = std::max<std::uint64_t>(1, memory.row_bytes);
  const std::uint64_t room = std::max(share / 2, share - std::min(share, memory.idle_bytes));
  // A little more than is needed, so that it is not looked for again at once.
  if (memory.rows_bytes() > room) plan.evict = (memory.rows_bytes() - room + room / 8) / row_bytes + 1;
  const std::uint64_t dirty = memory.dirty * (memory.row_bytes + memory.flight_bytes), most = room / 2;
  plan.want_checkpoint = dirty > most / 4 * 3;
  plan.wait = dirty > most && memory.in_flight > 0;
  return plan;
}

std::uint64_t memory_for_rows(std::uint64_t memory) {
  constexpr std::uint64_t kProgram = 48 << 20;
  return std::max(memory / 4, (memory - std::min(memory, kProgram)) / 2);
}

std::uint64_t StateBudget::share(std::uint64_t mine) const {
  const std::uint64_t all = std::max(used(), mine), others = all - mine;
  return std::max(even_, limit_ > others ? limit_ - others : 0);
}

}  // namespace weir
