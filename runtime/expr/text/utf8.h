#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::expr {

/// Text in valid UTF-8, counted in code points.

inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

inline std::int64_t count_code_points(std::string_view text) {
  std::int64_t n = 0;
  for (const char c : text) n += !is_continuation(c);
  return n;
}

/// Bytes of the code point that begins at `text[at]`.
inline std::size_t code_point_size(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_continuation(text[end])) ++end;
  return end - at;
}

/// The byte where code point `n` (from 0) begins; the size of the text if there are fewer.
inline std::size_t byte_offset(std::string_view text, std::int64_t n) {
  std::size_t i = 0;
  while (n > 0 && i < text.size()) i += code_point_size(text, i), --n;
  return i;
}

/// Appends the text in lower or upper case by Unicode's one-to-one mappings.
void append_lower(std::string& out, std::string_view text);
void append_upper(std::string& out, std::string_view text);

}  // namespace weir::expr
