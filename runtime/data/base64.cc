#include "runtime/data/base64.h"

#include <array>
#include <cstdint>

namespace weir {

namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}();

}  // namespace

char* write_base64(char* to, std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t n = bytes.size();
  const auto put = [&](std::uint32_t group, int digits) {
    for (int i = 0; i < 4; ++i) *to++ = i < digits ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  };
  for (; n >= 3; n -= 3, p += 3)
    put(static_cast<std::uint32_t>(p[0]) << 16 | static_cast<std::uint32_t>(p[1]) << 8 | p[2], 4);
  if (n == 2) put(static_cast<std::uint32_t>(p[0]) << 16 | static_cast<std::uint32_t>(p[1]) << 8, 3);
  if (n == 1) put(static_cast<std::uint32_t>(p[0]) << 16, 2);
  return to;
}

void append_base64(std::string& out, std::string_view bytes) {
  const std::size_t start = out.size();
  out.resize(start + base64_size(bytes.size()));
  write_base64(out.data() + start, bytes);
}

bool append_decoded_base64(std::string& out, std::string_view text) {
  if (text.size() % 4) return false;
  const std::size_t start = out.size();
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::size_t digits = text.size() - padding;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t v = i < digits ? kValues[static_cast<unsigned char>(text[i])] : 0;
    if (v == kNoDigit) return out.resize(start), false;
    group = group << 6 | v;
    if (i % 4 != 3) continue;
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(group >> shift & 0xff);
    group = 0;
  }
  out.resize(start + text.size() / 4 * 3 - padding);
  return true;
}

}  // namespace weir
