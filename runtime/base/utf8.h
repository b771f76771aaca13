#pragma once
#include <string_view>

namespace weir {

/// Bytes of the well-formed UTF-8 character at the beginning of `text`: 1 to 4, or 0 (Unicode 15, table 3-7: no surrogates,
/// no overlong forms, nothing above U+10FFFF).
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned lead = byte(0), second = byte(1);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned least = lead == 0xe0 ? 0xa0 : 0x80, most = lead == 0xed ? 0x9f : 0xbf;
    return second >= least && second <= most && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned least = lead == 0xf0 ? 0x90 : 0x80, most = lead == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// Where the first byte stands that is not part of well-formed UTF-8; the size if there is none.
inline std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) break;
    i += length;
  }
  return i;
}

}  // namespace weir
