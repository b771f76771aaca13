#pragma once
#include <string>
#include <string_view>

namespace weir {

/// The beginning of a text of at most `most` bytes that ends between two UTF-8 characters.
inline std::string_view first_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

/// The same for messages, with `…` where something is left out.
inline std::string cut_for_message(std::string_view text, std::size_t most) {
  const std::string_view first = first_characters(text, most);
  return std::string(first) + (first.size() < text.size() ? "…" : "");
}

}  // namespace weir
