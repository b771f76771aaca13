#include "connectors/kafka/source/fingerprint.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("a fingerprint survives being written and read") {
  const Fingerprint f{120, 1704067200000, hash_record("k", "v")};
  CHECK(parse_fingerprint(to_text(f)) == f);
  const Fingerprint extreme{0, -1, 0xffffffffffffffff};
  CHECK(parse_fingerprint(to_text(extreme)) == extreme);
}

TEST_CASE("what is no fingerprint is none") {
  for (const char* text : {"", "embedded-0011", "1:2", "1:2:", "1:2:3:4", "1:2:xyz", "a:b:c"})
    CHECK(!parse_fingerprint(text));
}

TEST_CASE("null and empty, key and value are told apart") {
  const std::string_view null, empty("", 0);
  const std::uint64_t hashes[] = {hash_record(null, null),   hash_record(null, empty), hash_record(empty, null),
                                  hash_record(empty, empty), hash_record("a", "b"),    hash_record("b", "a"),
                                  hash_record("ab", empty),  hash_record(empty, "ab")};
  for (std::size_t i = 0; i < std::size(hashes); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(hashes[i] != hashes[j]);
}
