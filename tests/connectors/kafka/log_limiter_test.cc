#include "connectors/kafka/client/log_limiter.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("a kind of line is written once in ten seconds, with the number left out") {
  LogLimiter limiter;
  const LogLimiter::Time begin{};
  const auto at = [&](int seconds) { return begin + std::chrono::seconds(seconds); };
  CHECK(limiter.ask("FAIL", at(0)).write);
  CHECK(!limiter.ask("FAIL", at(1)).write);
  CHECK(!limiter.ask("FAIL", at(9)).write);
  CHECK(limiter.ask("OTHER", at(9)).write);
  const auto answer = limiter.ask("FAIL", at(10));
  CHECK(answer.write);
  CHECK(answer.left_out == 2);
  CHECK(limiter.ask("FAIL", at(20)).left_out == 0);
}
