#pragma once
#include <span>
#include <string>
#include <vector>

#include "runtime/expr/program/frame.h"

namespace weir::expr {

/// One call of a kernel: computes `out` for `rows` from `arguments`. With NullRule::kStrict the validity of `out` is set
/// before; a kernel that can fail, or whose work is dear, then leaves null rows alone (each_valid).
struct KernelCall {
  Frame& frame;
  const Rows& rows;
  const std::vector<Values>& arguments;
  Values& out;
  std::size_t place;  ///< of the call in the expression's text, for random()

  const Values& operator[](std::size_t i) const { return arguments[i]; }
  template <typename F>
  void each_valid(F&& f) const {
    if (!out.validity()) return rows.each(f);
    rows.each([&](std::int32_t i) {
      if (get_bit(out.validity(), i)) f(i);
    });
  }
  void fail(std::int32_t row, std::string reason) const { frame.fail(row, std::move(reason)); }
};

using Kernel = void (*)(const KernelCall&);

/// Operand accessors: the loop over rows is compiled once for a column and once for a constant.
template <typename T>
struct PerRow {
  const T* values;
  T operator()(std::int32_t i) const { return values[i]; }
};
template <typename T>
struct Same {
  T value;
  T operator()(std::int32_t) const { return value; }
};

/// Calls `f` with the accessor that fits `v`.
template <typename T, typename F>
void with_operand(const Values& v, F&& f) {
  if (v.constant()) f(Same<T>{v.value<T>(0)});
  else f(PerRow<T>{v.data<T>()});
}

/// out = op(a) for all rows; op cannot fail and is harmless on the values of null rows.
template <typename Out, typename A, typename Op>
void map_unary(const KernelCall& c, Op op) {
  Out* out = c.out.fresh<Out>(c.rows.batch);
  with_operand<A>(c[0], [&](auto a) { c.rows.each([&](std::int32_t i) { out[i] = op(a(i)); }); });
}

/// The same of the second argument, the first being a constant that `op` knows.
template <typename Out, typename A, typename Op>
void map_unary_second(const KernelCall& c, Op op) {
  Out* out = c.out.fresh<Out>(c.rows.batch);
  with_operand<A>(c[1], [&](auto a) { c.rows.each([&](std::int32_t i) { out[i] = op(a(i)); }); });
}

template <typename Out, typename A, typename B, typename Op>
void map_binary(const KernelCall& c, Op op) {
  Out* out = c.out.fresh<Out>(c.rows.batch);
  with_operand<A>(c[0], [&](auto a) {
    with_operand<B>(c[1], [&](auto b) { c.rows.each([&](std::int32_t i) { out[i] = op(a(i), b(i)); }); });
  });
}

/// The same for an operation that can fail: `op(a, b, out)` says whether it did, always setting out. Failures are rare, so
/// the first pass only notes that there was one; the second finds the rows and asks `reason(a, b)`.
template <typename Out, typename A, typename B, typename Op, typename Reason>
void map_binary_checked(const KernelCall& c, Op op, Reason reason) {
  Out* out = c.out.fresh<Out>(c.rows.batch);
  with_operand<A>(c[0], [&](auto a) {
    with_operand<B>(c[1], [&](auto b) {
      bool failed = false;
      c.rows.each([&](std::int32_t i) { failed |= op(a(i), b(i), out[i]); });
      if (!failed) return;
      c.each_valid([&](std::int32_t i) {
        Out ignored;
        if (op(a(i), b(i), ignored)) c.fail(i, reason(a(i), b(i)));
      });
    });
  });
}

template <typename Out, typename A, typename Op, typename Reason>
void map_unary_checked(const KernelCall& c, Op op, Reason reason) {
  Out* out = c.out.fresh<Out>(c.rows.batch);
  with_operand<A>(c[0], [&](auto a) {
    bool failed = false;
    c.rows.each([&](std::int32_t i) { failed |= op(a(i), out[i]); });
    if (!failed) return;
    c.each_valid([&](std::int32_t i) {
      Out ignored;
      if (op(a(i), ignored)) c.fail(i, reason(a(i)));
    });
  });
}

/// out = op(row) for the rows that are not null, "" for the others; op returns a text that outlives the evaluation.
template <typename Op>
void map_text(const KernelCall& c, Op op) {
  auto* out = c.out.fresh<std::string_view>(c.rows.batch);
  if (!c.out.validity()) return c.rows.each([&](std::int32_t i) { out[i] = op(i); });
  c.rows.each([&](std::int32_t i) { out[i] = get_bit(c.out.validity(), i) ? op(i) : std::string_view{}; });
}

/// The same for fixed-width results whose computation must not see null rows.
template <typename Out, typename Op>
void map_valid(const KernelCall& c, Op op) {
  Out* out = c.out.fresh<Out>(c.rows.batch);
  if (!c.out.validity()) return c.rows.each([&](std::int32_t i) { out[i] = op(i); });
  c.rows.each([&](std::int32_t i) { out[i] = get_bit(c.out.validity(), i) ? op(i) : Out{}; });
}

/// How a call treats null arguments.
enum class NullRule {
  kStrict,  ///< null if any argument is null
  kCustom,  ///< the kernel decides, and sets the validity itself
};

}  // namespace weir::expr
