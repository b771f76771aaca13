#include "runtime/job/control.h"

#include <catch2/catch.hpp>
#include <ctime>
#include <thread>

namespace weir {

TEST_CASE("waiting for work that does not come takes the time and no processor") {
  ControlLoop loop;
  const auto begun = std::chrono::steady_clock::now();
  const std::clock_t used = std::clock();
  for (int i = 0; i < 3; ++i) loop.run_one(Duration::milliseconds(100));
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(290));
  CHECK(std::clock() - used < CLOCKS_PER_SEC / 10);
}

TEST_CASE("what is posted or due ends the wait") {
  ControlLoop loop;
  const ControlLoop::Lease lease(loop);
  int done = 0;
  lease.post([&done] { ++done; });
  loop.run_one(Duration::seconds(10));
  CHECK(done == 1);
  lease.every(Duration::milliseconds(5), [&done] { ++done; });
  loop.run_one(Duration::seconds(10));
  CHECK(done == 2);
  std::thread other([&loop] { loop.wake(); });
  loop.run_one(Duration::seconds(10));
  other.join();
}

}  // namespace weir
