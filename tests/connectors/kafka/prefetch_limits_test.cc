#include <catch2/catch.hpp>

#include "connectors/kafka/source/consumption.h"

using namespace weir;

TEST_CASE("what clients hold ready stays near an eighth of the memory, however many splits come later") {
  const std::size_t memory = std::size_t{1} << 30;
  PrefetchLimits limits = PrefetchLimits::of(memory, 1, 1);
  int renewed = 0;
  for (std::size_t splits = 1; splits <= 500; ++splits) {
    const PrefetchLimits now = PrefetchLimits::of(memory, 1, splits);
    if (limits.exceed(now)) limits = now, ++renewed;
    CHECK(splits * (static_cast<std::size_t>(limits.kilobytes) << 10) <= memory / 8);
  }
  CHECK(renewed > 3);
  CHECK(renewed < 20);
}
