#include "runtime/checkpoint/retention.h"

#include <catch2/catch.hpp>

namespace weir {
namespace {

RetainedCheckpoint rows(std::uint64_t id) { return {{id}}; }
RetainedCheckpoint claim(std::uint64_t id, std::uint64_t origin = 0) {
  return {{id}, true, origin == 0 ? std::nullopt : std::optional(CheckpointName{{origin}, {"r"}, "orders"})};
}

std::vector<std::uint64_t> expired(std::vector<RetainedCheckpoint> committed, int retain) {
  std::vector<std::uint64_t> ids;
  for (const Epoch e : expired_checkpoints(committed, retain)) ids.push_back(e.value);
  return ids;
}

using Ids = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("the newest checkpoints are kept") {
  CHECK(expired({}, 3) == Ids{});
  CHECK(expired({rows(2), rows(3), rows(4)}, 3) == Ids{});
  CHECK(expired({rows(2), rows(3), rows(4), rows(5)}, 3) == Ids{2});
  CHECK(expired({rows(2), rows(3), rows(4)}, 1) == Ids{2, 3});
}

TEST_CASE("the newest checkpoint never expires") { CHECK(expired({rows(2), rows(3)}, 0) == Ids{2}); }

TEST_CASE("claims do not count for what is retained") {
  CHECK(expired({claim(1), rows(2), rows(3)}, 3) == Ids{});
  CHECK(expired({rows(2), rows(3), claim(4, 3), rows(5)}, 3) == Ids{});
  CHECK(expired({claim(1), rows(2), rows(3), rows(4)}, 3) == Ids{1});
}

TEST_CASE("a claim makes nothing expire but older claims of the same origin") {
  CHECK(expired({rows(2), rows(3), rows(4), claim(5, 4)}, 1) == Ids{});
  CHECK(expired({rows(2), rows(3), rows(4), claim(5, 4), claim(6, 4)}, 1) == Ids{5});
  CHECK(expired({rows(3), rows(4), claim(5, 4), claim(6, 3)}, 1) == Ids{});
  CHECK(expired({claim(1), claim(2)}, 1) == Ids{1});
}

TEST_CASE("five starts that fail keep the original and at most two claims") {
  std::vector<RetainedCheckpoint> committed{rows(8), rows(9), rows(10)};
  for (std::uint64_t id = 11; id < 16; ++id) {
    committed.push_back(claim(id, 10));
    CHECK(committed.size() <= 5);
    for (const Epoch e : expired_checkpoints(committed, 1))
      std::erase_if(committed, [&](const auto& c) { return c.epoch == e; });
  }
  CHECK(committed.size() == 4);
  CHECK(committed.front().epoch.value == 8);
}

}  // namespace weir
