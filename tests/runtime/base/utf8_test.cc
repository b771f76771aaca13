#include "runtime/base/utf8.h"

#include <catch2/catch.hpp>
#include <string>

using namespace weir;

namespace {

/// The code point as UTF-8 would write it, surrogates too.
std::string encoded(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace

TEST_CASE("a character of UTF-8 is every code point but the surrogates, in its shortest form") {
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    const std::string text = encoded(code);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (utf8_length(text + "\x80") != (surrogate ? 0 : text.size())) FAIL("code point " << code);
    if (!surrogate && text.size() > 1 && utf8_length(std::string_view(text).substr(0, text.size() - 1)) != 0)
      FAIL("cut code point " << code);
  }
  CHECK(utf8_length(encoded(0x110000)) == 0);
  for (const char* overlong :
       {"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf"})
    CHECK(utf8_length(overlong) == 0);
  for (const char* stray : {"\x80", "\xbf", "\xf5\x80\x80\x80", "\xff"}) CHECK(utf8_length(stray) == 0);
  CHECK(utf8_length("") == 0);
}

TEST_CASE("the first byte that is no UTF-8 is found where its character begins") {
  CHECK(first_invalid_utf8("") == 0);
  CHECK(first_invalid_utf8("Zürich") == 7);
  CHECK(first_invalid_utf8("Z\xc3") == 1);
  CHECK(first_invalid_utf8("a\xc3\xbc\xc3") == 3);
  CHECK(first_invalid_utf8("ab\xed\xa0\x80") == 2);
}
