#pragma once
#include "runtime/data/type.h"

namespace weir {

/// An interval as a length in microseconds, a month being 30 days and a day 24 hours: what intervals are compared by.
inline Int128 interval_length(const Interval& v) {
  return (static_cast<Int128>(v.months) * 30 + v.days) * 86'400'000'000 + v.micros;
}

/// The form that equal intervals share: as many months as there are in the length, then days, then microseconds, all of one
/// sign. So `720:00:00` and `30 days` are `1 mon`, `36:00:00` is `1 day 12:00:00`. (A length that needs more months than
/// there are keeps the rest in days, and then in microseconds.)
Interval canonical_interval(const Interval& v);

}  // namespace weir
