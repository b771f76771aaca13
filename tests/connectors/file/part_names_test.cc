#include <catch2/catch.hpp>

#include "connectors/file/part_names.h"

namespace weir {
namespace {

const PartId kPart{"orders", "0a0b0c0d", "out", {"0123456789abcdef"}, {42}, 1, 7};

TEST_CASE("a pending part is hidden and carries job, sink, run, epoch, task and number") {
  CHECK(pending_name(kPart) == ".weir.orders.0a0b0c0d.out.0123456789abcdef.42.1.7.pending");
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
  CHECK(is_pending_of("orders", "0a0b0c0d", pending_name(kPart)));
  CHECK_FALSE(is_pending_of("order", "0a0b0c0d", pending_name(kPart)));
  CHECK_FALSE(is_pending_of("orders-2", "0a0b0c0d", pending_name(kPart)));
  CHECK_FALSE(is_pending_of("orders", "0a0b0c0d", final_name(kPart, "jsonl")));
  PartId odd = kPart;
  odd.job = "a.b/c";
  CHECK(pending_name(odd) == ".weir.a%2Eb%2Fc.0a0b0c0d.out.0123456789abcdef.42.1.7.pending");
  CHECK(is_pending_of("a.b/c", "0a0b0c0d", pending_name(odd)));
  CHECK_FALSE(is_pending_of("a", "0a0b0c0d", pending_name(odd)));
}

TEST_CASE("a pending part belongs to the folder of checkpoints that its job has") {
  CHECK_FALSE(is_pending_of("orders", "ffffffff", pending_name(kPart)));
  CHECK(are_names_of_part("orders", pending_name(kPart), final_name(kPart, "jsonl")));
}

TEST_CASE("only the two names of one part are names of a part") {
  const std::string pending = pending_name(kPart), final = final_name(kPart, "jsonl");
  PartId other = kPart;
  other.number = 8;
  CHECK_FALSE(are_names_of_part("orders-2", pending, final));
  CHECK_FALSE(are_names_of_part("orders", pending, final_name(other, "jsonl")));
  CHECK_FALSE(are_names_of_part("orders", final, final));
  CHECK_FALSE(are_names_of_part("orders", pending, "results.db"));
  CHECK_FALSE(are_names_of_part("orders", pending, final_name(kPart, "")));
  CHECK_FALSE(are_names_of_part("orders", pending, final + std::string(1, '\0') + "x"));
  CHECK_FALSE(are_names_of_part("orders", ".weir.orders.pending", final));
  CHECK_FALSE(are_names_of_part("orders", ".weir.orders.0a0b0c0d.out.0123456789abcdef.42.1.-7.pending", final));
  CHECK_FALSE(are_names_of_part("orders", ".weir.orders.0a0b0c0d.out..42.1.7.pending", "part-000042-1-007-.jsonl"));
  CHECK_FALSE(are_names_of_part("orders", "", ""));
}

}  // namespace
}  // namespace weir
