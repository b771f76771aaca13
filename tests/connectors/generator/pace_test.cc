#include <catch2/catch.hpp>

#include "connectors/generator/pace.h"

namespace weir {
namespace {

constexpr Duration ms(std::int64_t n) { return Duration::milliseconds(n); }

TEST_CASE("without a rate as many rows are due as may be made") {
  Pace pace({});
  CHECK(pace.due(ms(0), 1024) == 1024);
  pace.made(1024);
  CHECK(pace.due(ms(0), 1024) == 1024);
}

TEST_CASE("with a rate the first row is due at once and the others in turn") {
  Pace pace(100);
  CHECK(pace.due(ms(5000), 1024) == 1);
  pace.made(1);
  CHECK(pace.due(ms(5000), 1024) == 0);
  CHECK(pace.until_next(ms(5000)) == ms(10));
  CHECK(pace.due(ms(5009), 1024) == 0);
  CHECK(pace.until_next(ms(5009)) == ms(1));
  CHECK(pace.due(ms(5010), 1024) == 1);
  CHECK(pace.due(ms(5100), 1024) == 10);
  CHECK(pace.due(ms(5100), 3) == 3);
}

TEST_CASE("rows are never asked for sooner than in a millisecond") {
  Pace pace(1e6);
  pace.made(pace.due(ms(0), 1024));
  CHECK(pace.until_next(ms(0)) == ms(1));
}

TEST_CASE("after a long standstill one second's worth of rows is made up for") {
  Pace pace(100);
  pace.made(pace.due(ms(0), 1024));
  CHECK(pace.due(ms(60'000), 1024) == 101);
  pace.made(101);
  CHECK(pace.due(ms(60'000), 1024) == 0);
  CHECK(pace.due(ms(60'010), 1024) == 1);
}

TEST_CASE("a rate below one a second has long pauses") {
  Pace pace(0.1);
  CHECK(pace.due(ms(0), 10) == 1);
  pace.made(1);
  CHECK(pace.due(ms(9'000), 10) == 0);
  CHECK(pace.until_next(ms(9'000)) == ms(1'000));
  CHECK(pace.due(ms(10'000), 10) == 1);
}

}  // namespace
}  // namespace weir
