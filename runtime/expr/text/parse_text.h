#pragma once
#include <cstdint>
#include <string_view>

namespace weir::expr {

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] + 32 : a[i]) != lower[i]) return false;
  return true;
}

/// Takes exactly `n` digits from the front. False, taking nothing, if there are not that many.
inline bool take_digits(std::string_view& text, std::size_t n, std::int64_t& out) {
  if (text.size() < n) return false;
  std::int64_t v = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_digit(text[i])) return false;
    v = v * 10 + (text[i] - '0');
  }
  text.remove_prefix(n);
  out = v;
  return true;
}

inline bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes the digits of a fraction behind the point, as `places` places, cutting what is more. False if there is no digit.
inline bool take_fraction(std::string_view& text, int places, std::int64_t& out) {
  std::size_t n = 0;
  std::int64_t v = 0;
  for (; n < text.size() && is_digit(text[n]); ++n)
    if (static_cast<int>(n) < places) v = v * 10 + (text[n] - '0');
  for (std::size_t i = n; static_cast<int>(i) < places; ++i) v *= 10;
  text.remove_prefix(n);
  out = v;
  return n > 0;
}

}  // namespace weir::expr
