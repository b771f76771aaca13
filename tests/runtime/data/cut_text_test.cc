#include "runtime/data/cut_text.h"

#include <catch2/catch.hpp>

namespace weir {

TEST_CASE("a text is cut between characters") {
  CHECK(cut_for_message("abc", 3) == "abc");
  CHECK(cut_for_message("abcd", 3) == "abc…");
  CHECK(cut_for_message("abé", 3) == "ab…");
  CHECK(cut_for_message("abé", 4) == "abé");
  CHECK(cut_for_message("\xf0\x9f\x98\x80", 3) == "…");
  CHECK(first_characters("éé", 3) == "é");
  CHECK(first_characters("", 0) == "");
}

}  // namespace weir
