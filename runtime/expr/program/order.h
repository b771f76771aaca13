#pragma once
#include <cmath>

#include "runtime/data/interval.h"

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

}  // namespace weir::expr
