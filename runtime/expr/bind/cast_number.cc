#include <cmath>

#include "runtime/data/decimal.h"
#include "runtime/data/value_text.h"
#include "runtime/expr/bind/cast.h"

namespace weir::expr {

namespace {

template <typename From, typename To>
void widen(const KernelCall& c) {
  map_unary<To, From>(c, [](From v) { return static_cast<To>(v); });
}

void bigint_to_int(const KernelCall& c) {
  map_unary_checked<std::int32_t, std::int64_t>(
      c,
      [](std::int64_t v, std::int32_t& out) {
        out = static_cast<std::int32_t>(v);
        return out != v;
      },
      [](std::int64_t v) { return fmt::format("integer out of range: {}", v); });
}

template <typename To>
void double_to_whole(const KernelCall& c) {
  // The bounds are exact doubles: -2^n and 2^n.
  constexpr double kLow = static_cast<double>(std::numeric_limits<To>::min());
  map_unary_checked<To, double>(
      c,
      [](double v, To& out) {
        const double whole = std::nearbyint(v);
        const bool fits = whole >= kLow && whole < -kLow;
        out = fits ? static_cast<To>(whole) : To{0};
        return !fits;
      },
      [](double v) {
        std::string s = sizeof(To) == 4 ? "integer out of range: " : "bigint out of range: ";
        append_double(s, v);
        return s;
      });
}

std::string does_not_fit(std::string value, const Type& type) {
  return fmt::format("numeric field overflow: {} does not fit {}", value, type.name());
}

template <typename From>
void whole_to_decimal(const KernelCall& c) {
  const Type& type = c.out.type();
  const Int128 factor = power_of_ten(type.scale());
  map_unary_checked<Int128, From>(
      c,
      [&](From v, Int128& out) {
        const bool overflow = __builtin_mul_overflow(Int128{v}, factor, &out);
        return overflow || !fits_digits(out, type.precision());
      },
      [&](From v) { return does_not_fit(std::to_string(v), type); });
}

void double_to_decimal(const KernelCall& c) {
  const Type& type = c.out.type();
  map_unary_checked<Int128, double>(
      c,
      [&](double v, Int128& out) {
        const std::optional<Int128> d = decimal_from_double(v, type.scale());
        out = d.value_or(0);
        return !d || !fits_digits(out, type.precision());
      },
      [&](double v) {
        std::string s;
        append_double(s, v);
        return does_not_fit(s, type);
      });
}

void decimal_to_decimal(const KernelCall& c) {
  const Type& type = c.out.type();
  const int from = c[0].type().scale();
  map_unary_checked<Int128, Int128>(
      c,
      [&](Int128 v, Int128& out) {
        const std::optional<Int128> d = decimal_rescale(v, from, type.scale());
        out = d.value_or(0);
        return !d || !fits_digits(out, type.precision());
      },
      [&](Int128 v) {
        std::string s;
        append_decimal(s, v, from);
        return does_not_fit(s, type);
      });
}

template <typename To>
void decimal_to_whole(const KernelCall& c) {
  const int from = c[0].type().scale();
  map_unary_checked<To, Int128>(
      c,
      [&](Int128 v, To& out) {
        const Int128 whole = decimal_rescale(v, from, 0).value_or(0);
        out = static_cast<To>(whole);
        return out != whole;
      },
      [&](Int128 v) {
        std::string s = sizeof(To) == 4 ? "integer out of range: " : "bigint out of range: ";
        append_decimal(s, v, from);
        return s;
      });
}

void decimal_to_double_kernel(const KernelCall& c) {
  const int scale = c[0].type().scale();
  map_unary<double, Int128>(c, [scale](Int128 v) { return decimal_to_double(v, scale); });
}

void boolean_to_int(const KernelCall& c) {
  map_unary<std::int32_t, std::uint8_t>(c, [](std::uint8_t v) { return std::int32_t{v}; });
}
void int_to_boolean(const KernelCall& c) {
  map_unary<std::uint8_t, std::int32_t>(c, [](std::int32_t v) { return static_cast<std::uint8_t>(v != 0); });
}

constexpr std::int64_t kDay = 86'400'000'000;

void date_to_timestamp(const KernelCall& c) {
  map_unary_checked<std::int64_t, std::int32_t>(
      c, [](std::int32_t v, std::int64_t& out) { return __builtin_mul_overflow(std::int64_t{v}, kDay, &out); },
      [](std::int32_t v) {
        std::string s = "date out of range for timestamp: ";
        append_date(s, v);
        return s;
      });
}

void timestamp_to_date(const KernelCall& c) {
  map_unary<std::int32_t, std::int64_t>(c,
                                        [](std::int64_t v) { return static_cast<std::int32_t>(v / kDay - (v % kDay < 0)); });
}

}  // namespace

void add_number_casts(std::vector<CastRule>& r) {
  using enum TypeKind;
  constexpr auto implicit = CastContext::kImplicit, only_explicit = CastContext::kExplicit;
  r.push_back({kInt, kBigint, implicit, widen<std::int32_t, std::int64_t>});
  r.push_back({kInt, kDouble, implicit, widen<std::int32_t, double>});
  r.push_back({kBigint, kDouble, implicit, widen<std::int64_t, double>});
  r.push_back({kInt, kDecimal, implicit, whole_to_decimal<std::int32_t>});
  r.push_back({kBigint, kDecimal, implicit, whole_to_decimal<std::int64_t>});
  r.push_back({kDecimal, kDecimal, implicit, decimal_to_decimal});
  r.push_back({kDecimal, kDouble, implicit, decimal_to_double_kernel});
  r.push_back({kDate, kTimestamp, implicit, date_to_timestamp});
  r.push_back({kBigint, kInt, only_explicit, bigint_to_int});
  r.push_back({kDouble, kInt, only_explicit, double_to_whole<std::int32_t>});
  r.push_back({kDouble, kBigint, only_explicit, double_to_whole<std::int64_t>});
  r.push_back({kDouble, kDecimal, only_explicit, double_to_decimal});
  r.push_back({kDecimal, kInt, only_explicit, decimal_to_whole<std::int32_t>});
  r.push_back({kDecimal, kBigint, only_explicit, decimal_to_whole<std::int64_t>});
  r.push_back({kBoolean, kInt, only_explicit, boolean_to_int});
  r.push_back({kInt, kBoolean, only_explicit, int_to_boolean});
  r.push_back({kTimestamp, kDate, only_explicit, timestamp_to_date});
}

}  // namespace weir::expr
