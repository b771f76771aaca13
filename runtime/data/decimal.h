#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/data/type.h"

namespace weir {

/// Arithmetic on decimals: an Int128 and a scale, value = unscaled × 10^-scale, at most 38 digits. Pure functions; those
/// that can overflow return nothing then.

constexpr int kDecimalDigits = 38;

/// 10^n for 0 <= n <= 38.
Int128 power_of_ten(int n);
/// True if `v` has at most `digits` digits.
inline bool fits_digits(Int128 v, int digits) {
  const Int128 limit = power_of_ten(digits);
  return v < limit && v > -limit;
}
/// The number of digits of `v`, at least 1.
int count_digits(Int128 v);

std::optional<Int128> decimal_add(Int128 a, Int128 b);       ///< of equal scales
std::optional<Int128> decimal_subtract(Int128 a, Int128 b);  ///< of equal scales
/// The product; its scale is the sum of the scales.
std::optional<Int128> decimal_multiply(Int128 a, Int128 b);
/// The product times 10^-drop, rounded half away from zero.
std::optional<Int128> decimal_multiply(Int128 a, Int128 b, int drop);
/// a × 10^shift / b, rounded half away from zero; b is not 0, 0 <= shift <= 76.
std::optional<Int128> decimal_divide(Int128 a, Int128 b, int shift);
/// The same value at another scale, rounded half away from zero.
std::optional<Int128> decimal_rescale(Int128 v, int from, int to);
/// -1, 0, 1 for values of any scales.
int decimal_compare(Int128 a, int a_scale, Int128 b, int b_scale);

/// The nearest double (round half to even on the exact value).
double decimal_to_double(Int128 v, int scale);
/// The shortest text of `v` read as a decimal of that scale, as PostgreSQL casts; nothing for NaN, infinities and overflow.
std::optional<Int128> decimal_from_double(double v, int scale);

/// What parse_decimal found.
struct ParsedDecimal {
  enum class Status { kOk, kSyntax, kOverflow } status;
  Int128 value = 0;
};
/// Reads `-12.50`, `.5`, `1e3` as a decimal of `scale`, rounding half away from zero; no blanks. kOverflow: over 38 digits.
ParsedDecimal parse_decimal(std::string_view text, int scale);
/// Precision and scale that hold a literal exactly (`0.908`: 4, 3); nothing if that takes more than 38 digits.
struct DecimalShape {
  int precision, scale;
};
std::optional<DecimalShape> decimal_shape(std::string_view literal);

/// Appends all digits of the scale: `-0.50`.
void append_decimal(std::string& out, Int128 v, int scale);
/// The same without zeros at the end of the fraction: `-0.5`, `12`.
void append_decimal_trimmed(std::string& out, Int128 v, int scale);

}  // namespace weir
