#pragma once
#include <cmath>
#include <cstdint>

namespace weir {

/// `digits` / `scale` seconds in microseconds, rounded as PostgreSQL does: the nearest, of halves the even one. With at most
/// 15 digits the double is the nearest to the fraction as written.
inline std::int64_t micros_of_fraction(std::int64_t digits, double scale) {
  return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(digits) / scale * 1e6));
}

}  // namespace weir
