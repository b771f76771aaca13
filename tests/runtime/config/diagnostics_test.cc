#include "runtime/config/diagnostics.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

using namespace weir;

namespace {

std::shared_ptr<const SourceText> source(std::string text, std::string name = "p.yaml") {
  return std::make_shared<const SourceText>(std::move(name), std::move(text));
}

}  // namespace

TEST_CASE("a position counts characters, not bytes") {
  const SourceText text("p.yaml", "a: \xC3\xA4\xE2\x82\xAC x\nb: 1\n");
  CHECK(text.position(0) == Position{1, 1});
  CHECK(text.position(3) == Position{1, 4});
  CHECK(text.position(4) == Position{1, 4});  // within the character
  CHECK(text.position(5) == Position{1, 5});
  CHECK(text.position(9) == Position{1, 7});
  CHECK(text.position(11) == Position{2, 1});
  CHECK(text.position(1000) == Position{3, 1});
  CHECK(text.line(2) == "b: 1");
  CHECK(text.line(3) == "");
  CHECK(text.line(99) == "");
}

TEST_CASE("lines may end as on Windows, and a byte order mark takes no column") {
  const SourceText text("p.yaml", "\xEF\xBB\xBFname: x\r\nb: 1\r\n");
  CHECK(text.position(3) == Position{1, 1});
  CHECK(text.position(9) == Position{1, 7});
  CHECK(text.line(2) == "b: 1");
}

TEST_CASE("a diagnostic shows its place, the line, a caret and a hint") {
  const auto text = source("name: x\ntopik: bids\n");
  Diagnostics diagnostics;
  diagnostics.error(Location(text, 8), "unknown key 'topik'", "did you mean topic?");
  CHECK(diagnostics.format() ==
        "p.yaml:2:1: error: unknown key 'topik'\n"
        "   2 | topik: bids\n"
        "     | ^\n"
        "  hint: did you mean topic?\n");
}

TEST_CASE("the caret stands below its character after wide characters and tabs") {
  const auto text = source("a:\t\xC3\xA4 ?\n");
  Diagnostics diagnostics;
  diagnostics.error(Location(text, 6), "no");
  CHECK(diagnostics.format() ==
        "p.yaml:1:6: error: no\n"
        "   1 | a:\t\xC3\xA4 ?\n"
        "     |   \t  ^\n");
}

TEST_CASE("diagnostics come in the order of the file, each once") {
  const auto text = source("one\ntwo\n");
  Diagnostics diagnostics;
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.error(Location(text, 4), "second");
  diagnostics.warning(Location(text, 0), "first");
  diagnostics.error(Location(text, 4), "second");
  CHECK(diagnostics.errors() == 1);
  REQUIRE(diagnostics.sorted().size() == 2);
  CHECK(diagnostics.sorted()[0].text == "first");
  CHECK(diagnostics.format().find("p.yaml:1:1: warning: first") == 0);
}

TEST_CASE("a long line is shown around the caret only") {
  const auto text = source(fmt::format("{:a>300}!{:b>300}", "", ""));
  Diagnostics diagnostics;
  diagnostics.error(Location(text, 300), "here");
  CHECK(diagnostics.format() ==
        fmt::format("p.yaml:1:301: error: here\n   1 | ...{:a>100}!{:b>49}...\n     |    {: >100}^\n", "", "", ""));
}

TEST_CASE("what was hidden is masked, and control characters do not reach the terminal") {
  const auto text = source("password: hunter2 \x1b[31m\n");
  Diagnostics diagnostics;
  diagnostics.hide(Location(text, 10), 7);
  diagnostics.error(Location(text, 10), "too short");
  CHECK(diagnostics.format() == "p.yaml:1:11: error: too short\n   1 | password: ******* ?[31m\n     |           ^\n");
}

TEST_CASE("bytes that are no UTF-8 do not reach the terminal") {
  const auto text = source("na\xefve: \xc3\xa9\x80\n");
  Diagnostics diagnostics;
  diagnostics.error(Location(text, 2), "no text");
  CHECK(diagnostics.format() == "p.yaml:1:3: error: no text\n   1 | na?ve: \xc3\xa9?\n     |   ^\n");
}

TEST_CASE("a diagnostic without a place is its text alone") {
  Diagnostics diagnostics;
  diagnostics.error(Location(), "no file");
  CHECK(diagnostics.format() == "error: no file\n");
}

TEST_CASE("an offset map follows runs and stays where a run is fixed") {
  OffsetMap map;
  map.add(0, 10, false);
  map.add(1, 11, false);
  map.add(2, 12, true);
  map.add(5, 20, false);
  CHECK(map.text_offset(1) == 11);
  CHECK(map.text_offset(4) == 12);
  CHECK(map.text_offset(7) == 22);
  OffsetMap part;
  map.copy(1, 6, part, 100);
  CHECK(part.text_offset(100) == 11);
  CHECK(part.text_offset(102) == 12);
  CHECK(part.text_offset(104) == 20);
}
