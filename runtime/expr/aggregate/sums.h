#pragma once
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/data/decimal.h"
#include "runtime/data/row_values.h"

/// How sums of one type of number are kept, written, and handed out: each type here has a Value (of the argument's column),
/// a Sum (all zeros: of nothing), and says what adding, subtracting and merging does. A sum that once did not fit becomes
/// `lost`, for good; those for rows that may be taken back are lost only while they do not fit. A Sum that is not of one
/// field says of which (kFields, fields).
namespace weir::expr {

template <typename SumType>
struct Whole {
  using Sum = SumType;
  static constexpr Sum kLost = static_cast<Sum>(static_cast<UInt128>(1) << (sizeof(Sum) * 8 - 1));
  static bool lost(Sum sum) { return sum == kLost; }
  static void add(Sum& sum, Sum v) {
    if (lost(sum)) return;
    if (lost(v) || __builtin_add_overflow(sum, v, &sum)) sum = kLost;
  }
  static void subtract(Sum& sum, Sum v) {
    if (lost(sum)) return;
    if (__builtin_sub_overflow(sum, v, &sum)) sum = kLost;
  }
};
struct Integers : Whole<std::int64_t> {
  using Value = std::int32_t;
  static void write(RowWriter& w, Sum v) { w.integer(v); }
  static Sum read(RowReader& r) { return r.integer(); }
  static void append(ColumnBuilder& b, Sum v) { b.append_bigint(v); }
  static double as_double(Sum v, int) { return static_cast<double>(v); }
};
struct Decimals : Whole<Int128> {
  using Value = Int128;
  static void write(RowWriter& w, Sum v) { w.decimal(v); }
  static Sum read(RowReader& r) { return r.decimal(); }
  static void append(ColumnBuilder& b, Sum v) { b.append_decimal(v); }
  static Int128 whole(Sum v) { return v; }
  static double as_double(Sum v, int scale) { return decimal_to_double(v, scale); }
};
struct Bigints : Decimals {
  using Value = std::int64_t;
  static void subtract(Sum& sum, Value v) { sum -= v; }
  static void add(Sum& sum, Value v) { sum += v; }  // 2^64 rows do not come
  static void add(Sum& sum, Sum v) { sum += v; }
};
struct Doubles {
  using Value = double;
  using Sum = double;
  static constexpr std::uint64_t kLost = 0x7ff8'0000'6c6f'7374;  ///< a NaN that no computation gives
  static bool lost(Sum sum) { return std::bit_cast<std::uint64_t>(sum) == kLost; }
  static void add(Sum& sum, Value v) {
    const Sum both = sum + v;
    if (std::isfinite(both)) sum = both;
    else if (!lost(sum)) sum = lost(v) || (std::isfinite(sum) && std::isfinite(v)) ? std::bit_cast<double>(kLost) : both;
  }
  static void subtract(Sum& sum, Value v) { add(sum, -v); }
  static void write(RowWriter& w, Sum v) { w.dbl(v); }
  static Sum read(RowReader& r) { return r.dbl(); }
  static void append(ColumnBuilder& b, Sum v) { b.append_double(v); }
  static double as_double(Sum v, int) { return v; }
};
/// Decimals that may be taken back: a sum that does not fit may fit again, so what lies above its 128 bits is kept.
struct CarriedDecimals {
  using Value = Int128;
  struct Sum {
    Int128 low;          ///< the sum modulo 2^128
    std::int64_t carry;  ///< and how often that is to be added
  };
  static constexpr std::size_t kFields = 2;
  static std::vector<Field> fields(const Type& sum) { return {{"sum", sum, false}, {"carry", Type::bigint(), false}}; }
  static bool lost(const Sum& s) { return s.carry != 0; }
  static void add(Sum& s, Value v) {
    if (__builtin_add_overflow(s.low, v, &s.low)) s.carry += v > 0 ? 1 : -1;
  }
  static void subtract(Sum& s, Value v) {
    if (__builtin_sub_overflow(s.low, v, &s.low)) s.carry += v > 0 ? -1 : 1;
  }
  static void add(Sum& s, const Sum& o) {
    add(s, o.low);
    s.carry += o.carry;
  }
  static void write(RowWriter& w, const Sum& v) {
    w.decimal(v.low);
    w.integer(v.carry);
  }
  static Sum read(RowReader& r) {
    Sum s{r.decimal(), 0};
    if (!r.null()) s.carry = r.integer();
    return s;
  }
  static Int128 whole(const Sum& s) { return s.low; }
  static void append(ColumnBuilder& b, const Sum& v) { b.append_decimal(v.low); }
};
/// Doubles that may be taken back: infinities, NaNs, and values so large that a sum of them may not fit are kept apart, for
/// what they did to a sum could not be undone.
struct CountedDoubles {
  using Value = double;
  struct Sum {
    double small, large;  ///< of values below 2^960; of the others, each divided by 2^64: neither overflows
    std::int64_t larges, nans, infinities, negative_infinities;
  };
  static constexpr std::size_t kFields = 6;
  static std::vector<Field> fields(const Type&) {
    return {{"sum", Type::dbl(), false},         {"large", Type::dbl(), false},
            {"larges", Type::bigint(), false},   {"nan", Type::bigint(), false},
            {"infinite", Type::bigint(), false}, {"negative_infinite", Type::bigint(), false}};
  }
  static bool lost(const Sum& s) {
    return s.nans == 0 && s.infinities == 0 && s.negative_infinities == 0 && !std::isfinite(finite(s));
  }
  static void add(Sum& s, Value v) { count(s, v, 1); }
  static void subtract(Sum& s, Value v) { count(s, v, -1); }
  static void add(Sum& s, const Sum& o) {
    s = {s.small + o.small, s.large + o.large,           s.larges + o.larges,
         s.nans + o.nans,   s.infinities + o.infinities, s.negative_infinities + o.negative_infinities};
  }
  static void write(RowWriter& w, const Sum& v) {
    w.dbl(v.small);
    w.dbl(v.large);
    for (const std::int64_t n : {v.larges, v.nans, v.infinities, v.negative_infinities}) w.integer(n);
  }
  static Sum read(RowReader& r) {
    Sum s{r.dbl(), 0, 0, 0, 0, 0};
    if (!r.null()) s.large = r.dbl();
    for (std::int64_t* n : {&s.larges, &s.nans, &s.infinities, &s.negative_infinities}) *n = r.null() ? 0 : r.integer();
    return s;
  }
  static void append(ColumnBuilder& b, const Sum& v) { b.append_double(as_double(v, 0)); }
  static double as_double(const Sum& v, int) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (v.nans > 0 || (v.infinities > 0 && v.negative_infinities > 0)) return std::numeric_limits<double>::quiet_NaN();
    return v.infinities > 0 ? kInfinity : v.negative_infinities > 0 ? -kInfinity : finite(v);
  }

 private:
  static constexpr double kLarge = 0x1p960, kScale = 0x1p64;

  static double finite(const Sum& s) { return s.larges == 0 ? s.small : (s.large + s.small / kScale) * kScale; }
  static void count(Sum& s, Value v, int n) {
    if (std::abs(v) < kLarge) {
      s.small += n * v;
    } else if (std::isfinite(v)) {
      s.larges += n;
      s.large = s.larges == 0 ? 0 : s.large + n * (v / kScale);
    } else {
      (std::isnan(v) ? s.nans : v > 0 ? s.infinities : s.negative_infinities) += n;
    }
  }
};
struct Intervals {
  using Value = Interval;
  using Sum = Interval;
  static constexpr Sum kLost = {INT32_MIN, INT32_MIN, INT64_MIN};
  static bool lost(const Sum& s) { return s == kLost; }
  static void add(Sum& s, const Value& v) {
    if (lost(s)) return;
    if (__builtin_add_overflow(s.months, v.months, &s.months) | __builtin_add_overflow(s.days, v.days, &s.days) |
        __builtin_add_overflow(s.micros, v.micros, &s.micros))
      s = kLost;
  }
  static void subtract(Sum& s, const Value& v) {
    if (lost(s)) return;
    if (__builtin_sub_overflow(s.months, v.months, &s.months) | __builtin_sub_overflow(s.days, v.days, &s.days) |
        __builtin_sub_overflow(s.micros, v.micros, &s.micros))
      s = kLost;
  }
  static void write(RowWriter& w, const Sum& v) { w.interval(v); }
  static Sum read(RowReader& r) { return r.interval(); }
  static void append(ColumnBuilder& b, const Sum& v) { b.append_interval(v); }
};
/// Intervals that may be taken back: their parts are wide enough never to overflow.
struct WideIntervals {
  using Value = Interval;
  struct Sum {
    Int128 micros;
    std::int64_t months, days;
  };
  static constexpr std::size_t kFields = 3;
  static std::vector<Field> fields(const Type&) {
    return {{"months", Type::bigint(), false},
            {"days", Type::bigint(), false},
            {"micros", Type::decimal(kDecimalDigits, 0), false}};
  }
  static bool lost(const Sum& s) {
    return s.months != static_cast<std::int32_t>(s.months) || s.days != static_cast<std::int32_t>(s.days) ||
           s.micros != static_cast<std::int64_t>(s.micros);
  }
  static void add(Sum& s, const Value& v) { s = {s.micros + v.micros, s.months + v.months, s.days + v.days}; }
  static void subtract(Sum& s, const Value& v) { s = {s.micros - v.micros, s.months - v.months, s.days - v.days}; }
  static void add(Sum& s, const Sum& o) { s = {s.micros + o.micros, s.months + o.months, s.days + o.days}; }
  static void write(RowWriter& w, const Sum& v) {
    w.integer(v.months);
    w.integer(v.days);
    w.decimal(v.micros);
  }
  static Sum read(RowReader& r) {
    Sum s{0, r.integer(), 0};
    if (!r.null()) s.days = r.integer();
    if (!r.null()) s.micros = r.decimal();
    return s;
  }
  static void append(ColumnBuilder& b, const Sum& v) {
    b.append_interval(
        {static_cast<std::int32_t>(v.months), static_cast<std::int32_t>(v.days), static_cast<std::int64_t>(v.micros)});
  }
};

}  // namespace weir::expr
