#include "connectors/formats/utf8.h"

#include <simdjson.h>

namespace weir {

namespace {

/// Bytes of the well-formed UTF-8 sequence at the beginning of `s`, 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned low = lead == 0xe0 ? 0xa0 : 0x80, high = lead == 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned low = lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::size_t first_bad_utf8(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const std::size_t n = sequence_length(bytes.substr(i));
    if (!n) break;
    i += n;
  }
  return i;
}

}  // namespace weir
