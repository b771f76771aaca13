#include "runtime/base/printable.h"

#include <cstdint>

#include <fmt/format.h>

#include "runtime/base/utf8.h"

namespace weir {
namespace {

/// A character of UTF-8: how many bytes it has, and its number. Length 0: no UTF-8 (overlong, a surrogate, cut off).
struct Character {
  std::size_t length;
  std::uint32_t code;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t length = utf8_length(text.substr(at));
  std::uint32_t code = first & (0x7f >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3f);
  return {length, code};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

bool is_printable(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.length == 0 || is_control(c.code)) return false;
    i += c.length;
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    const std::size_t end = i + std::max<std::size_t>(c.length, 1);
    if (c.length > 0 && !is_control(c.code)) out.append(text, i, c.length);
    else
      for (std::size_t b = i; b < end; ++b) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[b]));
    i = end;
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    out += printable(text.substr(0, end)) + '\n';
  return out + printable(text);
}

}  // namespace weir
