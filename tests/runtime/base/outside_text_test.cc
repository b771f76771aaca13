#include "runtime/base/outside_text.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("text from outside is shown as it is where that does no harm") {
  CHECK(outside_text("consumer note 7, Zürich → 東京 😀 \\ '\"") == "consumer note 7, Zürich → 東京 😀 \\ '\"");
  CHECK(outside_text("") == "");
}

TEST_CASE("what would move a cursor or is no UTF-8 is written as bytes") {
  CHECK(outside_text(std::string_view("a\0b\n\x1b[31mred\x7f", 12)) == R"(a\x00b\x0a\x1b[31mred)");
  CHECK(outside_text("\x7f\xc2\x9b"
                     "2J") == R"(\x7f\xc2\x9b2J)");
  CHECK(outside_text("\xff\xc0\xaf\xe4\xb8") == R"(\xff\xc0\xaf\xe4\xb8)");
  CHECK(outside_text("\xed\xa0\x80\xf4\x90\x80\x80\xe0\x80\x80") == R"(\xed\xa0\x80\xf4\x90\x80\x80\xe0\x80\x80)");
}

TEST_CASE("long text is cut between characters") {
  CHECK(outside_text("abcdef", 6) == "abcdef");
  CHECK(outside_text("abcdef", 5) == "abcde…");
  CHECK(outside_text("abcdü", 5) == "abcd…");
}
