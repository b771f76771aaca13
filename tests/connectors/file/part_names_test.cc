#include <catch2/catch.hpp>

#include "connectors/file/part_names.h"

namespace weir {
namespace {

const PartId kPart{"orders", "out", {"0123456789abcdef"}, {42}, 1, 7};

TEST_CASE("a pending part is hidden and carries job, sink, run, epoch, task and number") {
  CHECK(pending_name(kPart) == ".weir.orders.out.0123456789abcdef.42.1.7.pending");
}

TEST_CASE("a final name sorts by epoch and differs between runs") {
  CHECK(final_name(kPart, "jsonl") == "part-000042-1-007-01234567.jsonl");
  PartId other = kPart;
  other.run = {"ffffffffffffffff"};
  CHECK(final_name(other, "jsonl") != final_name(kPart, "jsonl"));
  other = kPart;
  other.epoch = {100};
  CHECK(final_name(kPart, "csv") < final_name(other, "csv"));
}

TEST_CASE("a pending part belongs to its job only") {
  CHECK(is_pending_of("orders", pending_name(kPart)));
  CHECK_FALSE(is_pending_of("order", pending_name(kPart)));
  CHECK_FALSE(is_pending_of("orders-2", pending_name(kPart)));
  CHECK_FALSE(is_pending_of("orders", final_name(kPart, "jsonl")));
  PartId odd = kPart;
  odd.job = "a.b/c";
  CHECK(pending_name(odd) == ".weir.a%2Eb%2Fc.out.0123456789abcdef.42.1.7.pending");
  CHECK(is_pending_of("a.b/c", pending_name(odd)));
  CHECK_FALSE(is_pending_of("a", pending_name(odd)));
}

}  // namespace
}  // namespace weir
