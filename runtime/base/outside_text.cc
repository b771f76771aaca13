#include "runtime/base/outside_text.h"

#include "runtime/base/printable.h"

namespace weir {

std::string outside_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  std::size_t end = most;
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++i)
    --end;  // no half character
  return printable(text.substr(0, end)) + "…";
}

}  // namespace weir
