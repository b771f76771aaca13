#include "runtime/config/raw_text.h"

#include <fmt/format.h>

#include "runtime/config/yaml.h"

namespace weir {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned least = first == 0xE0 ? 0xA0 : 0x80, most = first == 0xED ? 0x9F : 0xBF;
    return byte(1) >= least && byte(1) <= most && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned least = first == 0xF0 ? 0x90 : 0x80, most = first == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= least && byte(1) <= most && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

namespace {

constexpr int kShownPlaces = 5;

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE") ||
         (text.size() > 1 && (text[0] == '\0' || text[1] == '\0'));
}

}  // namespace

bool check_raw_text(const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics) {
  const std::string_view text = source->text();
  if (text.size() > kLargestFile) {
    diagnostics.error(Location(source, 0),
                      fmt::format("the file is too large: {} bytes, at most {}", text.size(), kLargestFile),
                      "put rows of tests into files of their own");
    return false;
  }
  if (is_utf16(text)) {
    diagnostics.error(Location(source, 0), "the file is UTF-16", "save it as UTF-8");
    return false;
  }
  int wrong = 0;
  for (std::size_t i = 0; i < text.size() && wrong < kShownPlaces;) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    const bool is_control = byte < 0x20 || byte == 0x7F;
    const bool ends_line = byte == '\t' || byte == '\n' || (byte == '\r' && text.substr(i).starts_with("\r\n"));
    if (length == 0) {
      ++wrong;
      diagnostics.error(Location(source, i), fmt::format("this is not UTF-8: byte 0x{:02X}", byte),
                        "save the file as UTF-8");
    } else if (is_control && !ends_line) {
      ++wrong;
      diagnostics.error(
          Location(source, i), fmt::format("a control character may not be here: U+{:04X}", byte),
          byte == '\r' ? "end lines with a line feed" : "delete it, or write it as an escape in double quotes");
    }
    i += length ? length : 1;
  }
  return wrong == 0;
}

}  // namespace weir
