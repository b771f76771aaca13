#include "runtime/data/decimal.h"
#include "runtime/expr/bind/registry.h"

namespace weir::expr {

namespace {

constexpr TypeKind kX = TypeKind::kDecimal;

Type bounded(int precision, int scale) {
  return Type::decimal(std::min(std::max(precision, 1), kDecimalDigits), std::min(scale, kDecimalDigits));
}

std::string shown(Int128 v, const Values& of) {
  std::string s;
  append_decimal(s, v, of.type().scale());
  return s;
}

/// One digit more than the larger whole part, and the larger scale.
Type sum_type(std::span<const Type> t) {
  const int scale = std::max(t[0].scale(), t[1].scale());
  return bounded(std::max(t[0].precision() - t[0].scale(), t[1].precision() - t[1].scale()) + 1 + scale, scale);
}
Type product_type(std::span<const Type> t) {
  return bounded(t[0].precision() + t[1].precision(), t[0].scale() + t[1].scale());
}
Type remainder_type(std::span<const Type> t) {
  const int scale = std::max(t[0].scale(), t[1].scale());
  return bounded(std::min(t[0].precision() - t[0].scale(), t[1].precision() - t[1].scale()) + scale, scale);
}
/// At least 16 decimal places as far as 38 digits allow, never fewer than 6 or than the operands have.
Type quotient_type(std::span<const Type> t) {
  const int whole = t[0].precision() - t[0].scale() + t[1].scale();
  const int least = std::max({t[0].scale(), t[1].scale(), 6});
  const int scale = std::min(std::max(std::min(16, kDecimalDigits - whole), least), kDecimalDigits);
  return bounded(whole + scale, scale);
}
Type whole_type(std::span<const Type> t) { return bounded(t[0].precision() - t[0].scale() + 1, 0); }

std::string overflow(Int128 a, const Values& va, const char* symbol, Int128 b, const Values& vb) {
  return fmt::format("decimal out of range (more than {} digits): {} {} {}", kDecimalDigits, shown(a, va), symbol,
                     shown(b, vb));
}

template <typename Compute>
void binary(const KernelCall& c, const char* symbol, Compute compute) {
  map_binary_checked<Int128, Int128, Int128>(
      c,
      [&](Int128 a, Int128 b, Int128& out) {
        const std::optional<Int128> v = compute(a, b);
        out = v.value_or(0);
        return !v;
      },
      [&](Int128 a, Int128 b) { return overflow(a, c[0], symbol, b, c[1]); });
}

void add(const KernelCall& c) {
  binary(c, "+", [](Int128 a, Int128 b) { return decimal_add(a, b); });
}
void subtract(const KernelCall& c) {
  binary(c, "-", [](Int128 a, Int128 b) { return decimal_subtract(a, b); });
}

void multiply(const KernelCall& c) {
  const int drop = c[0].type().scale() + c[1].type().scale() - c.out.type().scale();
  if (drop) binary(c, "*", [drop](Int128 a, Int128 b) { return decimal_multiply(a, b, drop); });
  else binary(c, "*", [](Int128 a, Int128 b) { return decimal_multiply(a, b); });
}

void divide(const KernelCall& c) {
  const int shift = c.out.type().scale() - c[0].type().scale() + c[1].type().scale();
  map_binary_checked<Int128, Int128, Int128>(
      c,
      [&](Int128 a, Int128 b, Int128& out) {
        const std::optional<Int128> v = b ? decimal_divide(a, b, shift) : std::nullopt;
        out = v.value_or(0);
        return !v;
      },
      [&](Int128 a, Int128 b) {
        return b ? overflow(a, c[0], "/", b, c[1])
                 : fmt::format("division by zero: {} / {}", shown(a, c[0]), shown(b, c[1]));
      });
}

void remainder(const KernelCall& c) {
  map_binary_checked<Int128, Int128, Int128>(
      c,
      [](Int128 a, Int128 b, Int128& out) {
        out = b ? a % b : 0;
        return b == 0;
      },
      [&](Int128 a, Int128 b) { return fmt::format("division by zero: {} % {}", shown(a, c[0]), shown(b, c[1])); });
}

void negate(const KernelCall& c) {
  map_unary<Int128, Int128>(c, [](Int128 a) { return -a; });
}
void identity(const KernelCall& c) {
  map_unary<Int128, Int128>(c, [](Int128 a) { return a; });
}
void absolute(const KernelCall& c) {
  map_unary<Int128, Int128>(c, [](Int128 a) { return a < 0 ? -a : a; });
}
void sign_of(const KernelCall& c) {
  map_unary<Int128, Int128>(c, [](Int128 a) { return Int128{(a > 0) - (a < 0)}; });
}
Type sign_type(std::span<const Type>) { return Type::decimal(1, 0); }

void round_whole(const KernelCall& c) {
  const int scale = c[0].type().scale();
  map_unary<Int128, Int128>(c, [scale](Int128 a) { return decimal_rescale(a, scale, 0).value_or(0); });
}

template <int direction>
void to_whole(const KernelCall& c) {
  const Int128 unit = power_of_ten(c[0].type().scale());
  map_unary<Int128, Int128>(c, [unit](Int128 a) {
    Int128 q = a / unit;
    const Int128 rest = a % unit;
    if (direction < 0 && rest < 0) --q;
    if (direction > 0 && rest > 0) ++q;
    return q;
  });
}

/// round(x, n): the scale stays the argument's, since it may not depend on a value.
template <bool rounds>
void to_places(const KernelCall& c) {
  const int scale = c[0].type().scale();
  map_binary_checked<Int128, Int128, std::int32_t>(
      c,
      [scale](Int128 a, std::int32_t places, Int128& out) {
        out = a;
        if (places >= scale) return false;
        const int drop =
            static_cast<int>(std::min<std::int64_t>(static_cast<std::int64_t>(scale) - places, kDecimalDigits + 1));
        out = 0;
        if (drop > kDecimalDigits) return false;
        const Int128 unit = power_of_ten(drop);
        const std::optional<Int128> units = rounds ? decimal_rescale(a, drop, 0) : a / unit;
        const std::optional<Int128> v = decimal_multiply(*units, unit);
        out = v.value_or(0);
        return !v;
      },
      [&](Int128 a, std::int32_t places) {
        return fmt::format("decimal out of range (more than {} digits): round({}, {})", kDecimalDigits, shown(a, c[0]),
                           places);
      });
}
Type places_type(std::span<const Type> t) { return bounded(t[0].precision() + 1, t[0].scale()); }

}  // namespace

void add_decimal_functions(Registry& r) {
  const auto same_scale = [&](Signature s) {
    s.decimals = DecimalRule::kSameScale;
    r.add(std::move(s));
  };
  same_scale({"+", {kX, kX}, sum_type, add, "The sum; its scale is the larger one.", "1.10 + 2.5"});
  same_scale({"-", {kX, kX}, sum_type, subtract, "The difference; its scale is the larger one.", "1.10 - 2.5"});
  r.add(
      {"*", {kX, kX}, product_type, multiply, "The product; its scale is the sum of the scales, at most 38.", "1.10 * 2.5"});
  r.add({"/",
         {kX, kX},
         quotient_type,
         divide,
         "The quotient with 16 decimal places or more, fewer if 38 digits do not allow them.",
         "1.0 / 3"});
  same_scale({"%", {kX, kX}, remainder_type, remainder, "The remainder, with the sign of the dividend.", "7.5 % 2"});
  same_scale({"mod", {kX, kX}, remainder_type, remainder, "The remainder, with the sign of the dividend.", "mod(7.5, 2)"});
  r.add({"-", {kX}, same_as_first, negate, "The negative.", "-(1.5)"});
  r.add({"+", {kX}, same_as_first, identity, "The number itself.", "+(1.5)"});
  r.add({"abs", {kX}, same_as_first, absolute, "The absolute value.", "abs(-1.5)"});
  r.add({"sign", {kX}, sign_type, sign_of, "-1, 0 or 1.", "sign(-1.5)"});
  r.add({"round", {kX}, whole_type, round_whole, "The nearest whole number; halves go away from zero.", "round(2.5)"});
  r.add({"floor", {kX}, whole_type, to_whole<-1>, "The largest whole number that is not above.", "floor(-1.5)"});
  r.add({"ceil", {kX}, whole_type, to_whole<1>, "The smallest whole number that is not below.", "ceil(-1.5)"});
  r.add({"ceiling", {kX}, whole_type, to_whole<1>, "The same as ceil.", "ceiling(1.5)"});
  r.add({"trunc", {kX}, whole_type, to_whole<0>, "The whole number towards zero.", "trunc(-1.5)"});
  r.add({"round",
         {kX, TypeKind::kInt},
         places_type,
         to_places<true>,
         "Rounded to that many decimal places (negative: before the point); the scale stays.",
         "round(12.345, 2)"});
  r.add({"trunc",
         {kX, TypeKind::kInt},
         places_type,
         to_places<false>,
         "Cut to that many decimal places; the scale stays.",
         "trunc(12.345, 2)"});
}

}  // namespace weir::expr
