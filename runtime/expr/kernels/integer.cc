#include <limits>

#include "runtime/expr/bind/registry.h"

namespace weir::expr {

namespace {

template <typename T>
constexpr TypeKind kKind = sizeof(T) == 4 ? TypeKind::kInt : TypeKind::kBigint;
template <typename T>
Type type_of(std::span<const Type>) {
  return sizeof(T) == 4 ? Type::integer() : Type::bigint();
}
template <typename T>
constexpr const char* kOutOfRange = sizeof(T) == 4 ? "integer out of range" : "bigint out of range";

struct Add {
  static constexpr const char* symbol = "+";
  template <typename T>
  bool operator()(T a, T b, T& out) const {
    return __builtin_add_overflow(a, b, &out);
  }
};
struct Subtract {
  static constexpr const char* symbol = "-";
  template <typename T>
  bool operator()(T a, T b, T& out) const {
    return __builtin_sub_overflow(a, b, &out);
  }
};
struct Multiply {
  static constexpr const char* symbol = "*";
  template <typename T>
  bool operator()(T a, T b, T& out) const {
    return __builtin_mul_overflow(a, b, &out);
  }
};

template <typename T, typename Op>
void arithmetic(const KernelCall& c) {
  map_binary_checked<T, T, T>(c, Op{},
                              [](T a, T b) { return fmt::format("{}: {} {} {}", kOutOfRange<T>, a, Op::symbol, b); });
}

template <typename T>
void divide(const KernelCall& c) {
  map_binary_checked<T, T, T>(
      c,
      [](T a, T b, T& out) {
        const bool bad = b == 0 || (b == -1 && a == std::numeric_limits<T>::min());
        out = static_cast<T>(bad ? 0 : a / (bad ? 1 : b));
        return bad;
      },
      [](T a, T b) {
        return b ? fmt::format("{}: {} / {}", kOutOfRange<T>, a, b) : fmt::format("division by zero: {} / 0", a);
      });
}

template <typename T>
void remainder(const KernelCall& c) {
  map_binary_checked<T, T, T>(
      c,
      [](T a, T b, T& out) {
        out = static_cast<T>(b == 0 || b == -1 ? 0 : a % b);  // min % -1 is 0, but traps
        return b == 0;
      },
      [](T a, T) { return fmt::format("division by zero: {} % 0", a); });
}

template <typename T>
void negate(const KernelCall& c) {
  map_unary_checked<T, T>(
      c, [](T a, T& out) { return __builtin_sub_overflow(T{0}, a, &out); },
      [](T a) { return fmt::format("{}: -({})", kOutOfRange<T>, a); });
}

template <typename T>
void absolute(const KernelCall& c) {
  map_unary_checked<T, T>(
      c,
      [](T a, T& out) {
        const bool bad = __builtin_sub_overflow(T{0}, a, &out);
        if (a >= 0) out = a;
        return bad;
      },
      [](T a) { return fmt::format("{}: abs({})", kOutOfRange<T>, a); });
}

template <typename T>
void identity(const KernelCall& c) {
  map_unary<T, T>(c, [](T a) { return a; });
}

template <typename T>
void add_width(Registry& r) {
  constexpr TypeKind k = kKind<T>;
  r.add({"+", {k, k}, type_of<T>, arithmetic<T, Add>, "The sum.", "1 + 2"});
  r.add({"-", {k, k}, type_of<T>, arithmetic<T, Subtract>, "The difference.", "3 - 2"});
  r.add({"*", {k, k}, type_of<T>, arithmetic<T, Multiply>, "The product.", "2 * 3"});
  r.add({"/", {k, k}, type_of<T>, divide<T>, "The quotient, cut towards zero.", "7 / 2"});
  r.add({"%", {k, k}, type_of<T>, remainder<T>, "The remainder, with the sign of the dividend.", "-7 % 2"});
  r.add({"mod", {k, k}, type_of<T>, remainder<T>, "The remainder, with the sign of the dividend.", "mod(7, 2)"});
  r.add({"-", {k}, type_of<T>, negate<T>, "The negative.", "-(5)"});
  r.add({"+", {k}, type_of<T>, identity<T>, "The number itself.", "+(5)"});
  r.add({"abs", {k}, type_of<T>, absolute<T>, "The absolute value.", "abs(-5)"});
}

}  // namespace

void add_integer_functions(Registry& r) {
  add_width<std::int32_t>(r);
  add_width<std::int64_t>(r);
}

}  // namespace weir::expr
