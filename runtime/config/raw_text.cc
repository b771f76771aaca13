#include "runtime/config/raw_text.h"

#include <fmt/format.h>

#include "runtime/base/utf8.h"
#include "runtime/config/yaml.h"

namespace weir {

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
