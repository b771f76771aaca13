#include "runtime/base/nearest.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace weir;

namespace {
const std::vector<std::string> kNames = {"topic", "topics", "topic_pattern", "start", "max_out_of_orderness", "id"};
}

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps, not case") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("abc", "ABC") == 0);
  CHECK(edit_distance("kafak", "kafka") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest name is the one with the fewest edits") {
  CHECK(nearest_name("topik", kNames) == "topic");
  CHECK(nearest_name("topicz", kNames) == "topic");
  CHECK(nearest_name("strat", kNames) == "start");
}

TEST_CASE("names that differ in case, hyphens and underscores are near whatever their length") {
  CHECK(nearest_name("maxOutOfOrderness", kNames) == "max_out_of_orderness");
  CHECK(nearest_name("topic-pattern", kNames) == "topic_pattern");
}

TEST_CASE("nothing is near a name that shares nothing with any") {
  CHECK(nearest_name("consumer", kNames).empty());
  CHECK(nearest_name("", kNames).empty());
  CHECK(nearest_name("xy", kNames).empty());
  CHECK(nearest_hint("zzz", kNames).empty());
  CHECK(nearest_hint("topik", kNames) == "did you mean topic?");
}

TEST_CASE("a very long name has no nearest one and takes no time") {
  CHECK(nearest_name(std::string(1'000'000, 'x'), kNames).empty());
}
