#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/data/type.h"

namespace weir {

/// 10^n for n in 0-38.
Int128 power_of_ten(int n);

/// How reading a number from text ended.
enum class NumberText {
  kOk,
  kSyntax,  ///< not a number
  kRange,   ///< a number that the type cannot hold
};

/// Reads `[+-]digits[.digits][e[+-]digits]` (digits on one side of the point are enough) as value times 10^scale, rounded half
/// away from zero. `exact` says that nothing was rounded. kRange above `precision` digits.
NumberText parse_decimal(std::string_view text, int precision, int scale, Int128& value, bool& exact);

/// Appends `value` divided by 10^scale with all digits of the scale: `1.50`.
void append_decimal(std::string& out, Int128 value, int scale);

/// Room for any number that the functions below write.
constexpr int kNumberTextBytes = 48;
/// Write a number at `to` and return its end. A double gets the shortest digits that read back as the same double, printed as
/// PostgreSQL does: `120`, `0.1`, `1e+15`, `1e-05`, `-0`; it must be finite.
char* write_bigint(char* to, std::int64_t value);
char* write_double(char* to, double value);
char* write_decimal(char* to, Int128 value, int scale);

}  // namespace weir
