#include "connectors/kafka/sink/murmur2.h"

#include <catch2/catch.hpp>

using namespace weir;

// From Kafka's own test of its Java client (UtilsTest.testMurmur2).
TEST_CASE("murmur2 gives what Java clients give") {
  const auto java = [](std::string_view key) { return static_cast<std::int32_t>(murmur2(key)); };
  CHECK(java("21") == -973932308);
  CHECK(java("foobar") == -790332482);
  CHECK(java("a-little-bit-long-string") == -985981536);
  CHECK(java("a-little-bit-longer-string") == -1486304829);
  CHECK(java("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8") == -58897971);
  CHECK(java("abc") == 479470107);
}

TEST_CASE("a key's partition is its hash without the sign") {
  CHECK(partition_of_key("21", 10) == (-973932308 & 0x7fffffff) % 10);
  CHECK(partition_of_key("", 1) == 0);
  for (const char* key : {"a", "ab", "abc", "abcd", "abcde"}) CHECK(partition_of_key(key, 7) >= 0);
}
