#include "runtime/data/decimal.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace weir {

namespace {

constexpr std::array<Int128, kDecimalDigits + 1> kPowers = [] {
  std::array<Int128, kDecimalDigits + 1> p{};
  p[0] = 1;
  for (std::size_t i = 1; i < p.size(); ++i) p[i] = p[i - 1] * 10;
  return p;
}();

UInt128 magnitude(Int128 v) { return v < 0 ? -static_cast<UInt128>(v) : static_cast<UInt128>(v); }

std::optional<Int128> checked(Int128 v) {
  if (!fits_digits(v, kDecimalDigits)) return std::nullopt;
  return v;
}

std::optional<Int128> with_sign(UInt128 v, bool negative) {
  if (v >= static_cast<UInt128>(kPowers[kDecimalDigits])) return std::nullopt;
  return negative ? -static_cast<Int128>(v) : static_cast<Int128>(v);
}

/// 256 unsigned bits; only what multiplication and division of decimals need.
struct Wide {
  UInt128 high = 0, low = 0;
};

Wide multiply_wide(UInt128 a, UInt128 b) {
  const UInt128 mask = ~std::uint64_t{0};
  const UInt128 a0 = a & mask, a1 = a >> 64, b0 = b & mask, b1 = b >> 64;
  const UInt128 low = a0 * b0, mid = a1 * b0 + (low >> 64), mid2 = a0 * b1 + (mid & mask);
  return {a1 * b1 + (mid >> 64) + (mid2 >> 64), (mid2 << 64) | (low & mask)};
}

/// Schoolbook division bit by bit. The quotient must fit 128 bits, which holds while a.high < b.
UInt128 divide_wide(Wide a, UInt128 b, UInt128& remainder) {
  UInt128 r = a.high, q = 0;
  for (int bit = 127; bit >= 0; --bit) {
    const bool carry = r >> 127;
    r = (r << 1) | (a.low >> bit & 1);
    q <<= 1;
    if (carry || r >= b) r -= b, q |= 1;
  }
  remainder = r;
  return q;
}

std::optional<Int128> divide_rounded(Wide a, UInt128 b, bool negative) {
  if (a.high >= b) return std::nullopt;
  UInt128 q, r;
  if (!a.high) {
    q = a.low / b, r = a.low % b;
  } else {
    q = divide_wide(a, b, r);
  }
  if (r >= b - r) ++q;
  return with_sign(q, negative);
}

}  // namespace

Int128 power_of_ten(int n) {
  assert(n >= 0 && n <= kDecimalDigits);
  return kPowers[static_cast<std::size_t>(n)];
}

int count_digits(Int128 v) {
  int n = 1;
  while (n < kDecimalDigits && !fits_digits(v, n)) ++n;
  return n;
}

std::optional<Int128> decimal_add(Int128 a, Int128 b) {
  Int128 sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return checked(sum);
}
std::optional<Int128> decimal_subtract(Int128 a, Int128 b) {
  Int128 difference;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return checked(difference);
}

std::optional<Int128> decimal_multiply(Int128 a, Int128 b) {
  Int128 product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return checked(product);
}

std::optional<Int128> decimal_multiply(Int128 a, Int128 b, int drop) {
  if (drop == 0) return decimal_multiply(a, b);
  assert(drop > 0 && drop <= kDecimalDigits);
  return divide_rounded(multiply_wide(magnitude(a), magnitude(b)), static_cast<UInt128>(power_of_ten(drop)),
                        (a < 0) != (b < 0));
}

std::optional<Int128> decimal_divide(Int128 a, Int128 b, int shift) {
  assert(b != 0);
  const bool negative = (a < 0) != (b < 0);
  if (shift <= kDecimalDigits)
    return divide_rounded(multiply_wide(magnitude(a), static_cast<UInt128>(power_of_ten(shift))), magnitude(b), negative);
  const auto more = decimal_multiply(a, power_of_ten(shift - kDecimalDigits));
  if (!more) return std::nullopt;
  return decimal_divide(*more, b, kDecimalDigits);
}

std::optional<Int128> decimal_rescale(Int128 v, int from, int to) {
  if (to == from || v == 0) return v;
  if (to > from) return decimal_multiply(v, power_of_ten(to - from));
  return divide_rounded({0, magnitude(v)}, static_cast<UInt128>(power_of_ten(from - to)), v < 0);
}

int decimal_compare(Int128 a, int a_scale, Int128 b, int b_scale) {
  if (a_scale == b_scale) return a < b ? -1 : a > b;
  if (a_scale > b_scale) return -decimal_compare(b, b_scale, a, a_scale);
  if ((a < 0) != (b < 0)) return a < 0 ? -1 : 1;
  const Wide x = multiply_wide(magnitude(a), static_cast<UInt128>(power_of_ten(b_scale - a_scale)));
  const UInt128 y = magnitude(b);
  const int larger = x.high || x.low > y ? 1 : x.low < y ? -1 : 0;
  return a < 0 ? -larger : larger;
}

double decimal_to_double(Int128 v, int scale) {
  constexpr double kExact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr Int128 kLargest = Int128{1} << 53;
  if (v <= kLargest && v >= -kLargest && scale <= 22)
    return static_cast<double>(static_cast<std::int64_t>(v)) / kExact[scale];
  std::string text;
  append_decimal(text, v, scale);
  double d = 0;
  std::from_chars(text.data(), text.data() + text.size(), d);
  return d;
}

std::optional<Int128> decimal_from_double(double v, int scale) {
  if (!std::isfinite(v)) return std::nullopt;
  if (scale <= 15) {
    // Multiplied, v is off from its text by a few units in the last place: enough to round it, unless it lies near a half.
    const double scaled = v * static_cast<double>(power_of_ten(scale)), size = std::fabs(scaled);
    const double fraction = size - std::floor(size);
    if (size < 0x1p50 && std::fabs(fraction - 0.5) > size * 0x1p-48)
      return static_cast<Int128>(static_cast<std::int64_t>(std::round(scaled)));
  }
  char b[32];
  const auto end = std::to_chars(b, b + sizeof b, v).ptr;
  const ParsedDecimal p = parse_decimal({b, static_cast<std::size_t>(end - b)}, scale);
  if (p.status != ParsedDecimal::Status::kOk) return std::nullopt;
  return p.value;
}

namespace {

/// A number's text taken apart; digits of `whole` and `fraction` together, the point moved by `exponent`.
struct NumberText {
  bool negative = false;
  std::string_view whole, fraction;
  int exponent = 0;
};

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool split_number(std::string_view text, NumberText& out) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  out.whole = take_digits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    out.fraction = take_digits(text);
  }
  if (out.whole.empty() && out.fraction.empty()) return false;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    bool minus = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) minus = text[0] == '-', text.remove_prefix(1);
    const std::string_view digits = take_digits(text);
    if (digits.empty()) return false;
    for (const char c : digits) out.exponent = std::min(out.exponent * 10 + (c - '0'), 100'000'000);
    if (minus) out.exponent = -out.exponent;
  }
  return text.empty();
}

}  // namespace

ParsedDecimal parse_decimal(std::string_view text, int scale) {
  using Status = ParsedDecimal::Status;
  NumberText n;
  if (!split_number(text, n)) return {Status::kSyntax};
  const auto total = static_cast<std::int64_t>(n.whole.size() + n.fraction.size());
  const auto digit = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return (at < n.whole.size() ? n.whole[at] : n.fraction[at - n.whole.size()]) - '0';
  };
  // Digits up to `kept` stand left of the wanted scale; one more decides the rounding.
  const std::int64_t kept = static_cast<std::int64_t>(n.whole.size()) + n.exponent + scale;
  Int128 v = 0;
  for (std::int64_t i = 0; i < kept; ++i) {
    if (i >= total && v == 0) break;
    if (v >= power_of_ten(kDecimalDigits - 1)) return {Status::kOverflow};
    v = v * 10 + (i < total ? digit(i) : 0);
  }
  if (kept >= 0 && kept < total && digit(kept) >= 5) ++v;
  if (v >= power_of_ten(kDecimalDigits)) return {Status::kOverflow};
  return {Status::kOk, n.negative ? -v : v};
}

std::optional<DecimalShape> decimal_shape(std::string_view literal) {
  NumberText n;
  if (!split_number(literal, n)) return std::nullopt;
  const std::int64_t scale = std::max<std::int64_t>(0, static_cast<std::int64_t>(n.fraction.size()) - n.exponent);
  if (scale > kDecimalDigits) return std::nullopt;
  const ParsedDecimal p = parse_decimal(literal, static_cast<int>(scale));
  if (p.status != ParsedDecimal::Status::kOk) return std::nullopt;
  return DecimalShape{std::max(count_digits(p.value), static_cast<int>(std::max<std::int64_t>(scale, 1))),
                      static_cast<int>(scale)};
}

namespace {

/// Writes the digits backwards from `end`; returns where they begin.
template <typename Unsigned>
char* write_backwards(char* end, Unsigned u, int scale) {
  char* p = end;
  int digits = 0;
  do {
    if (digits == scale && scale) *--p = '.';
    *--p = static_cast<char>('0' + static_cast<int>(u % 10));
    u /= 10;
    ++digits;
  } while (u || digits <= scale);
  return p;
}

}  // namespace

void append_decimal(std::string& out, Int128 v, int scale) {
  char b[48];
  const UInt128 u = magnitude(v);
  // Dividing 128 bits is slow, and 64 nearly always hold it.
  char* p = u <= UINT64_MAX ? write_backwards(b + sizeof b, static_cast<std::uint64_t>(u), scale)
                            : write_backwards(b + sizeof b, u, scale);
  if (v < 0) *--p = '-';
  out.append(p, static_cast<std::size_t>(b + sizeof b - p));
}

void append_decimal_trimmed(std::string& out, Int128 v, int scale) {
  while (scale > 0 && v % 10 == 0) v /= 10, --scale;
  append_decimal(out, v, scale);
}

}  // namespace weir
