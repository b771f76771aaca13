#include "runtime/api/ordered_work.h"

#include <catch2/catch.hpp>

#include "tests/support/test_task.h"

namespace weir {
namespace {

TEST_CASE("work is done in the order in which it was given, and wakes the task") {
  TestAttempt attempt;
  TestTask task(attempt, "step");
  OrderedWork work(attempt.pool, task.context().waker);
  std::string done;
  for (const char c : std::string("abcdef")) work.add([&done, c] { done += c; });
  attempt.pool.settle();
  CHECK(done == "abcdef");
  CHECK(work.idle());
  CHECK(task.wait_woken());
}

TEST_CASE("the weight of what is not done is pending") {
  TestAttempt attempt;
  TestTask task(attempt, "step");
  OrderedWork work(attempt.pool, task.context().waker);
  std::mutex held;
  held.lock();
  work.add([&held] { std::lock_guard lock(held); }, 10);
  work.add([] {}, 5);
  CHECK(work.pending() == 15);
  CHECK_FALSE(work.idle());
  held.unlock();
  attempt.pool.settle();
  CHECK(work.pending() == 0);
  CHECK(work.idle());
}

TEST_CASE("when work throws the attempt hears of it and what is behind never runs") {
  TestAttempt attempt;
  TestTask task(attempt, "step");
  OrderedWork work(attempt.pool, task.context().waker);
  bool ran = false;
  work.add([] { throw std::runtime_error("disk full"); });
  work.add([&ran] { ran = true; });
  CHECK_THROWS_WITH(attempt.pool.settle(), "disk full");
  work.add([&ran] { ran = true; });
  attempt.pool.settle();
  CHECK_FALSE(ran);
  CHECK_FALSE(work.idle());
}

TEST_CASE("work of a task that is gone is not begun") {
  TestAttempt attempt;
  TestTask task(attempt, "step");
  std::mutex held;
  held.lock();
  auto ran = std::make_shared<bool>(false);
  {
    OrderedWork work(attempt.pool, task.context().waker);
    work.add([&held] { std::lock_guard lock(held); });
    work.add([ran] { *ran = true; });
  }
  held.unlock();
  attempt.pool.settle();
  CHECK_FALSE(*ran);
}

}  // namespace
}  // namespace weir
