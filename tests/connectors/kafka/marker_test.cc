#include "connectors/kafka/exactly_once/marker.h"

#include <catch2/catch.hpp>

#include "runtime/base/error.h"

using namespace weir;
using Catch::Contains;

namespace {

AuthorityAnswer answer(std::uint64_t epoch, const std::string& run, const std::string& moved_to = {}) {
  return {Marker{{epoch}, {run}}, moved_to};
}

}  // namespace

TEST_CASE("a marker reads as it was written") {
  CHECK(marker_text({{42}, {"b1f0"}}) == "weir1 42 b1f0");
  CHECK(parse_marker("weir1 42 b1f0") == answer(42, "b1f0"));
  CHECK(marker_text({{7}, {"aa"}}, "new-name") == "weir1 7 aa moved new-name");
  CHECK(parse_marker("weir1 7 aa moved new-name") == answer(7, "aa", "new-name"));
}

TEST_CASE("what is not written by weir is no marker") {
  for (const char* text : {"", "weir1", "weir1 ", "weir1 x b1f0", "weir1 42", "weir1 -1 a", "weir1 0 a", "weir2 42 b1f0",
                           "weir1 42 b1f0 moved", "weir1 42 b1f0 moved ", "weir1 42 b1f0 gone x", "consumer note"}) {
    INFO(text);
    CHECK_FALSE(parse_marker(text));
  }
}

TEST_CASE("a marker of another version is weir's, and so is a damaged one; a stranger's note is not") {
  for (const char* text : {"weir2 900 b1f0", "weir10", "weir1 x b1f0", "weir1", "weir1 42 b1f0\x1b[2J", "weir0 1 a"}) {
    INFO(text);
    CHECK_FALSE(parse_marker(text));
    CHECK(is_of_weir(text));
  }
  for (const char* text : {"", "weir", "weir note", "weir2x 900 b1f0", "weird 7", "consumer weir2 9"})
    CHECK_FALSE(is_of_weir(text));
}

TEST_CASE("of several markers the one with the largest number counts") {
  CHECK_FALSE(newest_marker("g", {}));
  const auto newest = newest_marker("g", {{"a", answer(3, "x")}, {"b", answer(12, "y")}, {"c", answer(4, "z")}});
  REQUIRE(newest);
  CHECK(newest->topic == "b");
  CHECK(newest->answer == answer(12, "y"));
  CHECK(newest_marker("g", {{"a", answer(3, "x", "n")}, {"b", answer(3, "x")}})->answer == answer(3, "x", "n"));
}

TEST_CASE("two runs with one number are refused") {
  try {
    newest_marker("weir-job", {{"a", answer(3, "x")}, {"b", answer(3, "y")}});
    FAIL("not refused");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kRefused);
    CHECK_THAT(e.text(), Contains("weir-job") && Contains("run x") && Contains("run y"));
  }
}
