#include "connectors/kafka/source/split_position.h"

#include <catch2/catch.hpp>

using namespace weir;

namespace {

SplitState split_until(std::int64_t end, std::int64_t next = 0) { return {.topic = "t", .next = next, .end = end}; }

}  // namespace

TEST_CASE("a bounded split ends with the record before its end") {
  SplitState split = split_until(2);
  CHECK(take_record(split, 0));
  CHECK(!check_end(split));
  CHECK(take_record(split, 1));
  CHECK(check_end(split));
  CHECK(split.next == 2);
}

TEST_CASE("a record past the end ends the split and is not taken") {
  SplitState split = split_until(5);
  CHECK(take_record(split, 3));
  CHECK(!take_record(split, 9));  // 4 was a transaction marker
  CHECK(split.ended);
  CHECK(split.next == 5);
}

TEST_CASE("an end of partition behind transaction markers ends the split") {
  SplitState split = split_until(11);
  for (int i = 0; i < 10; ++i) take_record(split, i);
  CHECK(!split.ended);
  take_partition_end(split, 11);
  CHECK(split.ended);
  CHECK(split.next == 11);
}

TEST_CASE("an end of partition before the end does not end the split, but moves it") {
  SplitState split = split_until(100);
  take_partition_end(split, 12);
  CHECK(!split.ended);
  CHECK(split.next == 12);
}

TEST_CASE("an end of partition past the end leaves the position at the end") {
  SplitState split = split_until(5);
  take_partition_end(split, 8);
  CHECK(split.ended);
  CHECK(split.next == 5);
}

TEST_CASE("a split without records to read has ended at once") {
  SplitState empty = split_until(0), behind = split_until(3, 3), open{.topic = "t", .next = 3};
  CHECK(check_end(empty));
  CHECK(check_end(behind));
  CHECK(!check_end(open));
  take_partition_end(open, 7);
  CHECK(!open.ended);
  CHECK(open.next == 7);
}
