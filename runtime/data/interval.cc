#include "runtime/data/interval.h"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

/// How often `unit` is in `length`, as an int; takes it out.
std::int32_t take_out(Int128& length, Int128 unit) {
  using Limits = std::numeric_limits<std::int32_t>;
  const Int128 times = std::clamp<Int128>(length / unit, Limits::min(), Limits::max());
  length -= times * unit;
  return static_cast<std::int32_t>(times);
}

}  // namespace

Interval canonical_interval(const Interval& v) {
  constexpr Int128 kDay = 86'400'000'000;
  Int128 length = interval_length(v);
  Interval out;
  out.months = take_out(length, 30 * kDay);
  out.days = take_out(length, kDay);
  out.micros = static_cast<std::int64_t>(length);
  return out;
}

}  // namespace weir
