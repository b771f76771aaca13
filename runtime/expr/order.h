#pragma once
#include <cmath>

#include "runtime/data/type.h"

namespace weir::expr {

/// Total orders of single values, as PostgreSQL has them. Each is a function object so that loops over them are compiled
/// whole.
struct Equal {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  bool operator()(double a, double b) const { return a == b || (a != a && b != b); }
};
struct Less {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
  }
  bool operator()(double a, double b) const { return a < b || (b != b && a == a); }
};
struct LessOrEqual {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a <= b;
  }
  bool operator()(double a, double b) const { return a <= b || b != b; }
};

/// A double that is compared with a constant that is no NaN: IEEE's <, <= and == give the total order then.
struct PlainDouble {
  double value;
  friend bool operator==(PlainDouble a, PlainDouble b) { return a.value == b.value; }
  friend bool operator<(PlainDouble a, PlainDouble b) { return a.value < b.value; }
  friend bool operator<=(PlainDouble a, PlainDouble b) { return a.value <= b.value; }
};

/// An interval as a length, a month being 30 days and a day 24 hours.
inline Int128 interval_length(const Interval& v) {
  return (static_cast<Int128>(v.months) * 30 + v.days) * 86'400'000'000 + v.micros;
}

}  // namespace weir::expr
