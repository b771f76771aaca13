#include "runtime/state/state_budget.h"

#include <catch2/catch.hpp>

namespace weir {
namespace {

/// Rows of 100 bytes, 60 more in flight.
StateMemory memory(std::uint64_t rows, std::uint64_t dirty, std::uint64_t in_flight) {
  return {rows, dirty, in_flight, 100, 60};
}

}  // namespace

TEST_CASE("what fits in the share is left alone") {
  const RoomPlan plan = plan_room(memory(1000, 0, 0), 100'000);
  CHECK(plan.evict == 0);
  CHECK_FALSE(plan.want_checkpoint);
  CHECK_FALSE(plan.wait);
}

TEST_CASE("what is beyond the share is forgotten, and an eighth more") {
  CHECK(plan_room(memory(2000, 0, 0), 100'000).evict == 1000 + 125 + 1);
  CHECK(plan_room(memory(1000, 0, 1000), 100'000).evict == 600 + 125 + 1);
}

TEST_CASE("a checkpoint is wanted when dirty rows fill three quarters of their half") {
  CHECK_FALSE(plan_room(memory(234, 234, 0), 100'000).want_checkpoint);
  CHECK(plan_room(memory(235, 235, 0), 100'000).want_checkpoint);
}

TEST_CASE("rows wait when dirty rows fill their half and an epoch is in flight") {
  CHECK_FALSE(plan_room(memory(400, 312, 1), 100'000).wait);
  CHECK(plan_room(memory(400, 313, 1), 100'000).wait);
  CHECK_FALSE(plan_room(memory(900, 900, 0), 100'000).wait);  // the barrier is behind these rows
}

TEST_CASE("idle memory leaves less room for rows, but at least half of the share") {
  StateMemory m = memory(1000, 0, 0);
  m.idle_bytes = 20'000;
  CHECK(plan_room(m, 100'000).evict == 200 + 100 + 1);
  m.idle_bytes = 300'000;
  CHECK(plan_room(m, 100'000).evict == 500 + 62 + 1);
  m = memory(188, 188, 0);
  m.idle_bytes = 20'000;
  CHECK(plan_room(m, 100'000).want_checkpoint);
  CHECK_FALSE(plan_room(memory(188, 188, 0), 100'000).want_checkpoint);
}

TEST_CASE("without memory every row is too much, and none waits for nothing") {
  const RoomPlan plan = plan_room(memory(1, 1, 0), 0);
  CHECK(plan.evict > 0);
  CHECK(plan.want_checkpoint);
  CHECK_FALSE(plan.wait);
  CHECK_FALSE(plan_room({}, 0).want_checkpoint);
}

TEST_CASE("the memory for rows is half of what the program leaves") {
  constexpr std::uint64_t kMiB = 1 << 20;
  CHECK(memory_for_rows(1024 * kMiB) == 488 * kMiB);
  CHECK(memory_for_rows(256 * kMiB) == 104 * kMiB);
  CHECK(memory_for_rows(64 * kMiB) == 16 * kMiB);
  CHECK(memory_for_rows(16 * kMiB) == 4 * kMiB);
}

TEST_CASE("a table has what the others leave, and its even part always") {
  StateBudget budget(1000, 4);
  CHECK(budget.share(0) == 1000);
  budget.change(0, 600);  // of one
  CHECK(budget.share(600) == 1000);
  CHECK(budget.share(0) == 400);
  budget.change(0, 300);  // of another
  CHECK(budget.share(600) == 700);
  CHECK(budget.share(300) == 400);
  CHECK(budget.share(0) == 250);
  budget.change(600, 0);
  CHECK(budget.used() == 300);
  CHECK(budget.share(0) == 700);
}

}  // namespace weir
