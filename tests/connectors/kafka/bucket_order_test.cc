#include "connectors/kafka/sink/bucket_order.h"

#include <catch2/catch.hpp>

using namespace weir;

namespace {

std::string sorted(const std::vector<std::int32_t>& buckets, std::int32_t count) {
  BucketOrder order;
  order.sort(buckets, count);
  std::string out;
  for (const BucketOrder::Run& run : order.runs()) {
    out += fmt::format("{}:", run.bucket);
    for (std::int32_t i = run.begin; i < run.end; ++i) out += fmt::format(" {}", order.rows()[static_cast<std::size_t>(i)]);
    out += "; ";
  }
  return out;
}

}  // namespace

TEST_CASE("rows are sorted by bucket and keep their order within one") {
  CHECK(sorted({2, 0, 2, 1, 0}, 3) == "0: 1 4; 1: 3; 2: 0 2; ");
}

TEST_CASE("buckets without rows make no run") { CHECK(sorted({3, 3}, 5) == "3: 0 1; "); }

TEST_CASE("rows of a negative bucket are left out") {
  CHECK(sorted({1, -1, 0, -1}, 2) == "0: 2; 1: 0; ");
  CHECK(sorted({-1, -1}, 2).empty());
  CHECK(sorted({}, 2).empty());
}

TEST_CASE("an order can be used for one batch after the other") {
  BucketOrder order;
  order.sort(std::vector<std::int32_t>{1, 0, 1}, 2);
  order.sort(std::vector<std::int32_t>{0}, 1);
  CHECK(order.rows().size() == 1);
  CHECK(order.runs().size() == 1);
}
