#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/data/buffer.h"

namespace weir {

/// Scalars of JSON, read from bytes that a delimiter follows before the memory ends (JsonTokens sees to that). Pure
/// functions.

inline std::uint64_t load8(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}
inline std::uint32_t load4(const char* p) {
  std::uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}

/// Reads the digits at `p` into `value`, behind those it has (modulo 2^64); returns their end. Eight at a time and without a
/// branch on how many there are (Daniel Lemire, "Quickly parsing eight digits"). May look at eight bytes behind the end.
inline const char* read_digits(const char* p, std::uint64_t& value) {
  static constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  constexpr std::uint64_t kZeros = 0x3030303030303030, kAboveNine = 0x7676767676767676, kHigh = 0x8080808080808080;
  for (;;) {
    std::uint64_t v = load8(p) ^ kZeros;
    const std::uint64_t others = ((v + kAboveNine) | v) & kHigh;  // one bit a byte that is no digit; exact up to the first
    const int n = others ? __builtin_ctzll(others) / 8 : 8;
    if (n < 8) v = (v << 8 * (7 - n)) << 8;  // zeros in front
    v = v * 10 + (v >> 8);
    constexpr std::uint64_t kMask = 0x000000ff000000ff;
    v = ((v & kMask) * 0x000f424000000064 + (v >> 16 & kMask) * 0x0000271000000001) >> 32;
    value = value * kPowers[n] + v;
    p += n;
    if (n < 8) return p;
  }
}

/// True for the bytes that may follow a number, `true`, `false` or `null`.
inline bool is_json_delimiter(char c) {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The end of the number at `p`, or null if there is none by JSON's grammar (RFC 8259 §6) up to a delimiter.
const char* end_of_number(const char* p);

/// How reading a number ended.
enum class JsonNumber {
  kOk,
  kSyntax,   ///< not a number of JSON's grammar
  kRange,    ///< does not fit
  kInexact,  ///< has a fraction; only from read_bigint
};
JsonNumber read_bigint_slow(const char* p, std::int64_t& value);
/// Reads a whole number; `7.0` and `1e3` are whole too.
inline JsonNumber read_bigint(const char* p, std::int64_t& value) {
  constexpr std::ptrdiff_t kSafeDigits = 18;  // fit 63 bits whatever they are
  const bool negative = *p == '-';
  const char* first = p + negative;
  std::uint64_t v = 0;
  const char* end = read_digits(first, v);
  const bool plain =
      end > first && end - first <= kSafeDigits && is_json_delimiter(*end) && (*first != '0' || end - first == 1);
  if (!plain) [[unlikely]]
    return read_bigint_slow(p, value);
  value = negative ? -static_cast<std::int64_t>(v) : static_cast<std::int64_t>(v);
  return JsonNumber::kOk;
}
/// A number in digits: `digits` is the size of its whole part (without zeros in front; 0 below 1), `whole` that there is no
/// other. Digits behind the point count however many they are.
struct NumberSize {
  std::int64_t digits = 0;
  bool whole = true;
};
NumberSize size_of_number(std::string_view number);
/// Reads the nearest double; kRange where that is an infinity.
JsonNumber read_double(const char* p, double& value);

/// The same for numbers written as text, blanks around them left out: digits only for whole ones; `NaN`, `Infinity` and
/// `-Infinity` for doubles.
JsonNumber read_bigint_text(std::string_view text, std::int64_t& value);
JsonNumber read_double_text(std::string_view text, double& value);
std::string_view trim_blanks(std::string_view text);

/// Why a text's escapes cannot be read; `at` is where, `text` what is wrong.
struct JsonEscapeError {
  const char* at;
  std::string_view text;
};
/// Appends the text between two quotes with its escapes resolved. False for a broken escape and for half a surrogate pair;
/// then `out` holds some of it.
bool append_unescaped(Buffer& out, std::string_view raw, JsonEscapeError& error);

}  // namespace weir
