#include <cmath>

#include "runtime/data/value_text.h"
#include "runtime/expr/registry.h"

namespace weir::expr {

namespace {

constexpr TypeKind kD = TypeKind::kDouble;
constexpr ResultType kDouble = always<Type::dbl>;

std::string shown(double v) {
  std::string s;
  append_double(s, v);
  return s;
}

template <typename Op>
void binary(const KernelCall& c) {
  map_binary<double, double, double>(c, Op{});
}

template <double (*f)(double)>
void unary(const KernelCall& c) {
  map_unary<double, double>(c, [](double a) { return f(a); });
}

void divide(const KernelCall& c) {
  map_binary_checked<double, double, double>(
      c,
      [](double a, double b, double& out) {
        out = a / b;
        return b == 0;
      },
      [](double a, double) { return fmt::format("division by zero: {} / 0", shown(a)); });
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

/// 0: fine, 1: zero to a negative power, 2: a negative number to a power that is no integer.
int power_trouble(double a, double b) {
  if (a == 0 && b < 0) return 1;
  return a < 0 && std::isfinite(a) && std::isfinite(b) && std::floor(b) != b ? 2 : 0;
}

void power(const KernelCall& c) {
  map_binary_checked<double, double, double>(
      c,
      [](double a, double b, double& out) {
        out = std::pow(a, b);
        return power_trouble(a, b) != 0;
      },
      [](double a, double b) {
        return fmt::format("{}: power({}, {})",
                           power_trouble(a, b) == 1
                               ? "zero raised to a negative power is undefined"
                               : "a negative number raised to a non-integer power yields a complex result",
                           shown(a), shown(b));
      });
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
double exponential(double a) { return std::exp(a); }
double sign_of(double a) { return std::isnan(a) ? a : static_cast<double>((a > 0) - (a < 0)); }

}  // namespace

void add_double_functions(Registry& r) {
  r.add({"+", {kD, kD}, kDouble, binary<std::plus<double>>, "The sum.", "0.5 + 2e0"});
  r.add({"-", {kD, kD}, kDouble, binary<std::minus<double>>, "The difference.", "0.5 - 2e0"});
  r.add({"*", {kD, kD}, kDouble, binary<std::multiplies<double>>, "The product.", "0.5 * 2e0"});
  r.add({"/", {kD, kD}, kDouble, divide, "The quotient; division by zero is an error.", "1e0 / 4"});
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
  r.add({"exp", {kD}, kDouble, unary<exponential>, "e raised to the number.", "exp(0)"});
  r.add({"ln", {kD}, kDouble, logarithm, "The natural logarithm.", "ln(1)"});
}

}  // namespace weir::expr
