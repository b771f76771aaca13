#include "runtime/expr/text/utf8.h"

#include <utf8proc.h>

namespace weir::expr {

namespace {

template <typename Ascii, typename Other>
void append_mapped(std::string& out, std::string_view text, Ascii ascii, Other other) {
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x80) {
      out += ascii(c);
      ++i;
      continue;
    }
    utf8proc_int32_t code = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + i);
    const utf8proc_ssize_t n = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - i), &code);
    if (n <= 0) {  // not UTF-8: passed on as it is
      out += c;
      ++i;
      continue;
    }
    utf8proc_uint8_t encoded[4];
    const utf8proc_ssize_t m = utf8proc_encode_char(other(code), encoded);
    out.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(m));
    i += static_cast<std::size_t>(n);
  }
}

}  // namespace

void append_lower(std::string& out, std::string_view text) {
  append_mapped(
      out, text, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; },
      [](utf8proc_int32_t c) { return utf8proc_tolower(c); });
}

void append_upper(std::string& out, std::string_view text) {
  append_mapped(
      out, text, [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; },
      [](utf8proc_int32_t c) { return c == 0xdf ? c : utf8proc_toupper(c); });  // ß has no capital of its own
}

}  // namespace weir::expr
