#include <bit>
#include <cmath>
#include <limits>

#include "runtime/data/value_text.h"
#include "runtime/expr/bind/registry.h"

namespace weir::expr {

namespace {

constexpr TypeKind kD = TypeKind::kDouble;
constexpr ResultType kDouble = always<Type::dbl>;

std::string shown(double v) {
  std::string s;
  append_double(s, v == 0 ? 0 : v);  // no -0
  return s;
}

constexpr const char* kOverflow = "value out of range: overflow";
constexpr const char* kUnderflow = "value out of range: underflow";

/// The top bit is set where `v` is an infinity or NaN, and with `zero` where it is 0.
template <bool zero>
std::uint64_t extreme(double v) {
  const std::uint64_t without_sign = std::bit_cast<std::uint64_t>(v) << 1;
  constexpr std::uint64_t kLowestExponent = std::uint64_t{1} << 52;
  return ((without_sign - zero) >> 1) + kLowestExponent + zero;  // 0 - 1 has all bits
}

/// out = Op::of(a, b). Failures are rare: the first pass notes whether a result looks like one, the second whether one is,
/// and only then the rows are looked for.
template <typename Op>
void binary(const KernelCall& c) {
  double* out = c.out.fresh<double>(c.rows.batch);
  with_operand<double>(c[0], [&](auto a) {
    with_operand<double>(c[1], [&](auto b) {
      std::uint64_t seen = 0;
      c.rows.each([&](std::int32_t i) { seen |= extreme<Op::kMayUnderflow>(out[i] = Op::of(a(i), b(i))); });
      if (!(seen >> 63)) return;
      bool failed = false;
      c.rows.each([&](std::int32_t i) { failed |= Op::fails(a(i), b(i), out[i]); });
      if (!failed) return;
      c.each_valid([&](std::int32_t i) {
        if (Op::fails(a(i), b(i), out[i]))
          c.fail(i, fmt::format("{}: {} {} {}", Op::reason(b(i), out[i]), shown(a(i)), Op::kSymbol, shown(b(i))));
      });
    });
  });
}

bool infinite(double v) { return std::fabs(v) == std::numeric_limits<double>::infinity(); }

// The rules of PostgreSQL (utils/float.h), without branches.
struct Plus {
  static constexpr char kSymbol = '+';
  static constexpr bool kMayUnderflow = false;
  static double of(double a, double b) { return a + b; }
  static bool fails(double a, double b, double result) { return infinite(result) & !infinite(a) & !infinite(b); }
  static const char* reason(double, double) { return kOverflow; }
};
struct Minus : Plus {
  static constexpr char kSymbol = '-';
  static double of(double a, double b) { return a - b; }
};
struct Times {
  static constexpr char kSymbol = '*';
  static constexpr bool kMayUnderflow = true;
  static double of(double a, double b) { return a * b; }
  static bool fails(double a, double b, double result) {
    return Plus::fails(a, b, result) | ((result == 0) & (a != 0) & (b != 0));
  }
  static const char* reason(double, double result) { return result == 0 ? kUnderflow : kOverflow; }
};
struct Over {
  static constexpr char kSymbol = '/';
  static constexpr bool kMayUnderflow = true;
  static double of(double a, double b) { return a / b; }
  static bool fails(double a, double b, double result) {
    const bool by_zero = (b == 0) & !std::isnan(a);
    return by_zero | (infinite(result) & !infinite(a)) | ((result == 0) & (a != 0) & !infinite(b));
  }
  static const char* reason(double b, double result) { return b == 0 ? "division by zero" : Times::reason(b, result); }
};

template <double (*f)(double)>
void unary(const KernelCall& c) {
  map_unary<double, double>(c, [](double a) { return f(a); });
}

void square_root(const KernelCall& c) {
  map_unary_checked<double, double>(
      c,
      [](double a, double& out) {
        out = std::sqrt(a);
        return a < 0;
      },
      [](double a) { return fmt::format("cannot take square root of a negative number: {}", shown(a)); });
}

const char* power_trouble(double a, double b, double result) {
  if (a == 0 && b < 0) return "zero raised to a negative power is undefined";
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && std::floor(b) != b)
    return "a negative number raised to a non-integer power yields a complex result";
  if (!std::isfinite(a) || !std::isfinite(b)) return nullptr;
  return std::isinf(result) ? kOverflow : result == 0 && a != 0 ? kUnderflow : nullptr;
}

void power(const KernelCall& c) {
  map_binary_checked<double, double, double>(
      c,
      [](double a, double b, double& out) {
        out = std::pow(a, b);
        return power_trouble(a, b, out) != nullptr;
      },
      [](double a, double b) {
        return fmt::format("{}: power({}, {})", power_trouble(a, b, std::pow(a, b)), shown(a), shown(b));
      });
}

void exponential(const KernelCall& c) {
  map_unary_checked<double, double>(
      c,
      [](double a, double& out) {
        out = std::exp(a);
        return std::isfinite(a) && (std::isinf(out) || out == 0);
      },
      [](double a) { return fmt::format("{}: exp({})", a > 0 ? kOverflow : kUnderflow, shown(a)); });
}

void logarithm(const KernelCall& c) {
  map_unary_checked<double, double>(
      c,
      [](double a, double& out) {
        out = std::log(a);
        return a <= 0;
      },
      [](double a) { return fmt::format("cannot take logarithm of a number that is not positive: {}", shown(a)); });
}

double negative(double a) { return -a; }
double itself(double a) { return a; }
double absolute(double a) { return std::fabs(a); }
double half_even(double a) { return std::nearbyint(a); }
double whole_below(double a) { return std::floor(a); }
double whole_above(double a) { return std::ceil(a); }
double towards_zero(double a) { return std::trunc(a); }
double sign_of(double a) { return std::isnan(a) ? a : static_cast<double>((a > 0) - (a < 0)); }

}  // namespace

void add_double_functions(Registry& r) {
  r.add({"+", {kD, kD}, kDouble, binary<Plus>, "The sum; one that is too large is an error.", "0.5 + 2e0"});
  r.add({"-", {kD, kD}, kDouble, binary<Minus>, "The difference; one that is too large is an error.", "0.5 - 2e0"});
  r.add({"*",
         {kD, kD},
         kDouble,
         binary<Times>,
         "The product; one that is too large or too small (0 of factors that are not) is an error.",
         "0.5 * 2e0"});
  r.add({"/", {kD, kD}, kDouble, binary<Over>, "The quotient; division by zero is an error.", "1e0 / 4"});
  r.add({"-", {kD}, kDouble, unary<negative>, "The negative.", "-(0.5)"});
  r.add({"+", {kD}, kDouble, unary<itself>, "The number itself.", "+(0.5)"});
  r.add({"abs", {kD}, kDouble, unary<absolute>, "The absolute value.", "abs(-0.5)"});
  r.add({"sign", {kD}, kDouble, unary<sign_of>, "-1, 0 or 1.", "sign(-8)"});
  r.add({"round",
         {kD},
         kDouble,
         unary<half_even>,
         "The nearest whole number; halves go to the even one.",
         "round(2.5::double)"});
  r.add({"floor", {kD}, kDouble, unary<whole_below>, "The largest whole number that is not above.", "floor(-1.5::double)"});
  r.add({"ceil", {kD}, kDouble, unary<whole_above>, "The smallest whole number that is not below.", "ceil(-1.5::double)"});
  r.add({"ceiling", {kD}, kDouble, unary<whole_above>, "The same as ceil.", "ceiling(1.5::double)"});
  r.add({"trunc", {kD}, kDouble, unary<towards_zero>, "The whole number towards zero.", "trunc(-1.5::double)"});
  r.add({"sqrt", {kD}, kDouble, square_root, "The square root.", "sqrt(16)"});
  r.add({"power", {kD, kD}, kDouble, power, "The first number raised to the second.", "power(2, 10)"});
  r.add({"pow", {kD, kD}, kDouble, power, "The same as power.", "pow(2, 10)"});
  r.add({"^", {kD, kD}, kDouble, power, "The first number raised to the second.", "2 ^ 10"});
  r.add({"exp", {kD}, kDouble, exponential, "e raised to the number.", "exp(0)"});
  r.add({"ln", {kD}, kDouble, logarithm, "The natural logarithm.", "ln(1)"});
}

}  // namespace weir::expr
