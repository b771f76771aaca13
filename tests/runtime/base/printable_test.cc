#include "runtime/base/printable.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("printable characters stay as they are") {
  for (const std::string_view text : {"", "reading orders-3: 5 of 7", "Straße, 東京, 🙂, é", "back\\slash"}) {
    CHECK(printable(text) == text);
    CHECK(is_printable(text));
  }
}

TEST_CASE("nothing that a terminal obeys comes through") {
  const std::pair<std::string, std::string> cases[] = {{"a\x1b[31mred\x1b]0;title\a", "a\\x1b[31mred\\x1b]0;title\\x07"},
                                                       {std::string("a\0b", 3), "a\\x00b"},
                                                       {"one\ntwo\r\tthree", "one\\x0atwo\\x0d\\x09three"},
                                                       {"del\x7f", "del\\x7f"},
                                                       {"c1\xc2\x9b"
                                                        "2J",
                                                        "c1\\xc2\\x9b2J"},
                                                       {"turned \xe2\x80\xae"
                                                        "txt",
                                                        "turned \\xe2\\x80\\xaetxt"},
                                                       {"next\xe2\x80\xa8line", "next\\xe2\\x80\\xa8line"}};
  for (const auto& [text, expected] : cases) {
    CHECK(printable(text) == expected);
    CHECK(!is_printable(text));
    CHECK(is_printable(printable(text)));
  }
}

TEST_CASE("bytes that are no UTF-8 are shown by their numbers") {
  CHECK(printable("\x9b"
                  "2J") == "\\x9b2J");    // C1 as one byte
  CHECK(printable("\xc3(") == "\\xc3(");  // cut off
  CHECK(printable("half \xe2\x80") == "half \\xe2\\x80");
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");  // overlong
  CHECK(printable("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable("\xf5\x80\x80\x80") == "\\xf5\\x80\\x80\\x80");
}

TEST_CASE("lines stay lines where there may be several") {
  CHECK(printable_lines("one\ntwo \x1b[2J\n\nthree") == "one\ntwo \\x1b[2J\n\nthree");
  CHECK(printable_lines("one\n") == "one\n");
}
