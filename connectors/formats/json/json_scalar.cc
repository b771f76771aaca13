#include "connectors/formats/json/json_scalar.h"

#include <charconv>
#include <cstdlib>
#include <limits>

#include "runtime/data/decimal.h"

namespace weir {

namespace {

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::ptrdiff_t kSafeDigits = 19;  // fit 64 bits whatever they are

JsonNumber finish_double(const char* p, const char* end, double& value) {
  const auto [stop, error] = std::from_chars(p, end, value);
  if (error == std::errc() && stop == end) return JsonNumber::kOk;
  if (error != std::errc::result_out_of_range) return JsonNumber::kSyntax;
  // Too small is zero, too large is refused.
  value = std::strtod(std::string(p, end).c_str(), nullptr);
  return value > -1 && value < 1 ? JsonNumber::kOk : JsonNumber::kRange;
}

JsonNumber read_double_slow(const char* p, double& value) {
  const char* end = end_of_number(p);
  return end ? finish_double(p, end, value) : JsonNumber::kSyntax;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = static_cast<char>(c | 0x20);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// The four hexadecimal digits at `p`, or -1.
int read_hex4(const char* p, const char* end) {
  if (end - p < 4) return -1;
  int v = 0;
  for (int i = 0; i < 4; ++i) {
    const int d = hex_digit(p[i]);
    if (d < 0) return -1;
    v = v * 16 + d;
  }
  return v;
}

void append_utf8(Buffer& out, std::uint32_t c) {
  char b[4];
  std::size_t n = 0;
  if (c < 0x80) {
    b[n++] = static_cast<char>(c);
  } else if (c < 0x800) {
    b[n++] = static_cast<char>(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    b[n++] = static_cast<char>(0xe0 | c >> 12);
    b[n++] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
  } else {
    b[n++] = static_cast<char>(0xf0 | c >> 18);
    b[n++] = static_cast<char>(0x80 | (c >> 12 & 0x3f));
    b[n++] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
  }
  if (c >= 0x80) b[n++] = static_cast<char>(0x80 | (c & 0x3f));
  out.append(b, n);
}

/// The code point of a `\uXXXX` at `p` (behind the `u`), and of the second half of a pair; moves p. -1 for a broken one.
std::int64_t read_code_point(const char*& p, const char* end, JsonEscapeError& error) {
  error = {p - 2, "\\u needs four hexadecimal digits"};
  const int first = read_hex4(p, end);
  if (first < 0) return -1;
  p += 4;
  if (first < 0xd800 || first > 0xdfff) return first;
  error.text = "half a surrogate pair is no character";
  if (first > 0xdbff || end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
  const int second = read_hex4(p + 2, end);
  if (second < 0xdc00 || second > 0xdfff) return -1;
  p += 6;
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

}  // namespace

const char* end_of_number(const char* p) {
  if (*p == '-') ++p;
  if (!is_digit(*p)) return nullptr;
  if (*p++ != '0')
    while (is_digit(*p)) ++p;
  if (*p == '.') {
    if (!is_digit(*++p)) return nullptr;
    while (is_digit(*p)) ++p;
  }
  if ((*p | 0x20) == 'e') {
    ++p;
    if (*p == '+' || *p == '-') ++p;
    if (!is_digit(*p)) return nullptr;
    while (is_digit(*p)) ++p;
  }
  return is_json_delimiter(*p) ? p : nullptr;
}

JsonNumber read_bigint_slow(const char* p, std::int64_t& value) {
  const char* end = end_of_number(p);
  if (!end) return JsonNumber::kSyntax;
  const std::string_view text(p, static_cast<std::size_t>(end - p));
  if (!size_of_number(text).whole) return JsonNumber::kInexact;
  const ParsedDecimal d = parse_decimal(text, 0);
  if (d.status == ParsedDecimal::Status::kSyntax) return JsonNumber::kSyntax;
  if (d.status == ParsedDecimal::Status::kOverflow) return JsonNumber::kRange;
  value = static_cast<std::int64_t>(d.value);
  return value == d.value ? JsonNumber::kOk : JsonNumber::kRange;
}

NumberSize size_of_number(std::string_view number) {
  constexpr std::int64_t kMostExponent = 100'000'000;  // as parse_decimal reads it
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  std::int64_t exponent = 0;
  for (const char c : number.substr(e))
    if (is_digit(c)) exponent = std::min(exponent * 10 + (c - '0'), kMostExponent);
  if (number.substr(e).find('-') != std::string_view::npos) exponent = -exponent;
  std::int64_t place = 0, point = -1;  // digits are counted from 0
  std::int64_t first = -1, last = -1;  // that are not zero
  for (const char c : number.substr(0, e)) {
    if (c == '.') point = place;
    if (!is_digit(c)) continue;
    if (c != '0') last = place, first = first < 0 ? place : first;
    ++place;
  }
  if (first < 0) return {};
  point = (point < 0 ? place : point) + exponent;
  return {std::max<std::int64_t>(point - first, 0), last < point};
}

JsonNumber read_double(const char* p, double& value) {
  // Exact when digits and power of ten are both exact doubles (William Clinger, "How to read floating point numbers
  // accurately", 1990); everything else goes the slow way.
  const bool negative = *p == '-';
  const char* first = p + negative;
  std::uint64_t v = 0;
  const char* end = read_digits(first, v);
  const std::ptrdiff_t whole = end - first;
  std::ptrdiff_t fraction = 0;
  if (*end == '.') {
    const char* point = end;
    end = read_digits(end + 1, v);
    fraction = end - point - 1;
    if (fraction == 0) return JsonNumber::kSyntax;
  }
  const bool plain = whole > 0 && whole + fraction <= kSafeDigits && v <= 1ull << 53 && is_json_delimiter(*end) &&
                     (*first != '0' || whole == 1);
  if (!plain) return read_double_slow(p, value);
  const double d = static_cast<double>(v) / kExactPowers[fraction];
  value = negative ? -d : d;
  return JsonNumber::kOk;
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

JsonNumber read_bigint_text(std::string_view text, std::int64_t& value) {
  text = trim_blanks(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || stop != text.data() + text.size()) return JsonNumber::kSyntax;
  return error == std::errc() ? JsonNumber::kOk : JsonNumber::kRange;
}

JsonNumber read_double_text(std::string_view text, double& value) {
  text = trim_blanks(text);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return value = std::numeric_limits<double>::quiet_NaN(), JsonNumber::kOk;
  if (text == "Infinity") return value = kInfinity, JsonNumber::kOk;
  if (text == "-Infinity") return value = -kInfinity, JsonNumber::kOk;
  const bool digits = text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;  // no `inf`, no hexadecimal
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (text.empty() || !digits) return JsonNumber::kSyntax;
  return finish_double(text.data(), text.data() + text.size(), value);
}

bool append_unescaped(Buffer& out, std::string_view raw, JsonEscapeError& error) {
  const char* p = raw.data();
  const char* end = p + raw.size();
  for (;;) {
    const auto* stop = static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
    out.append(p, static_cast<std::size_t>((stop ? stop : end) - p));
    if (!stop) return true;
    p = stop + 2;
    if (stop[1] == 'u') {
      const std::int64_t c = read_code_point(p, end, error);
      if (c < 0) return false;
      append_utf8(out, static_cast<std::uint32_t>(c));
    } else {
      const char c = simple_escape(stop[1]);
      if (!c) return error = {stop, "unknown escape"}, false;
      out.push(c);
    }
  }
}

}  // namespace weir
