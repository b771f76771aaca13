#include "runtime/base/outside_text.h"

#include <cstdio>

namespace weir {
namespace {

/// Bytes of the UTF-8 character at the beginning of `text`; 0 if there is none, or one that controls a terminal (C0, DEL, C1).
std::size_t shown_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool no_character = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  const bool control = first == 0xc2 && byte(1) < 0xa0;
  return too_long || no_character || control ? 0 : size;
}

}  // namespace

std::string outside_text(std::string_view text, std::size_t most) {
  std::string out;
  const std::string_view all = text;
  while (!text.empty()) {
    const std::size_t size = shown_character(text), taken = size ? size : 1;
    if (all.size() - text.size() + taken > most) return out + "…";
    if (size) {
      out += text.substr(0, size);
    } else {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[0]));
      out += escaped;
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace weir
