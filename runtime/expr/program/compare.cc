#include "runtime/expr/program/compare.h"

#include "runtime/data/decimal.h"
#include "runtime/expr/program/kernel.h"
#include "runtime/expr/program/order.h"

namespace weir::expr {

const char* symbol_of(Comparison c) {
  switch (c) {
    case Comparison::kEqual: return "=";
    case Comparison::kNotEqual: return "<>";
    case Comparison::kLess: return "<";
    case Comparison::kLessOrEqual: return "<=";
    case Comparison::kGreater: return ">";
    case Comparison::kGreaterOrEqual: return ">=";
  }
  return "?";
}

Comparison mirrored(Comparison c) {
  switch (c) {
    case Comparison::kLess: return Comparison::kGreater;
    case Comparison::kLessOrEqual: return Comparison::kGreaterOrEqual;
    case Comparison::kGreater: return Comparison::kLess;
    case Comparison::kGreaterOrEqual: return Comparison::kLessOrEqual;
    default: return c;
  }
}

bool is_comparable(const Type& t) {
  if (t.kind() == TypeKind::kJson) return false;
  for (const Field& f : t.children())
    if (!is_comparable(f.type)) return false;
  return true;
}

bool is_ordered(const Type& t) { return t.children().empty() && is_comparable(t); }

namespace {

/// Where a loop leaves the outcome of each row: as bytes at the rows' positions, or as the list of rows that are true.
struct IntoBytes {
  std::uint8_t* out;
  void operator()(std::int32_t i, bool v) { out[i] = v; }
};
struct IntoRows {
  std::int32_t* to;
  void operator()(std::int32_t i, bool v) { *to = i, to += v; }
};

struct TextColumn {
  const std::int32_t* offsets;
  const char* bytes;
  std::string_view operator()(std::int32_t i) const {
    return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

template <typename T, typename From>
struct Converted {
  const From* values;
  T operator()(std::int32_t i) const { return T{values[i]}; }
};
struct IntervalLengths {
  const Values* values;
  Int128 operator()(std::int32_t i) const { return interval_length(values->value<Interval>(i)); }
};
struct NestedRefs {
  const Values* values;
  ValueRef operator()(std::int32_t i) const { return values->ref(i); }
};
/// Decimals whose scales differ.
struct ScaledDecimal {
  Int128 value;
  int scale;
  friend bool operator==(ScaledDecimal a, ScaledDecimal b) {
    return decimal_compare(a.value, a.scale, b.value, b.scale) == 0;
  }
  friend bool operator<(ScaledDecimal a, ScaledDecimal b) { return decimal_compare(a.value, a.scale, b.value, b.scale) < 0; }
  friend bool operator<=(ScaledDecimal a, ScaledDecimal b) {
    return decimal_compare(a.value, a.scale, b.value, b.scale) <= 0;
  }
};
struct ScaledDecimals {
  const Values* values;
  ScaledDecimal operator()(std::int32_t i) const { return {values->value<Int128>(i), values->type().scale()}; }
};

struct SameNested {
  bool operator()(const ValueRef& a, const ValueRef& b) const {
    return a.column && b.column && same_value(*a.column, a.row, *b.column, b.row);
  }
};

template <typename Sink, typename Op, typename A, typename B>
void compare_rows(const Rows& rows, const std::uint8_t* validity, bool negated, Sink& result, A a, B b) {
  const Op op{};
  Sink sink = result;  // kept in registers
  if (!validity) {
    rows.each([&](std::int32_t i) { sink(i, op(a(i), b(i)) != negated); });
  } else {
    rows.each([&](std::int32_t i) { sink(i, get_bit(validity, i) & (op(a(i), b(i)) != negated)); });
  }
  result = sink;
}

template <typename Sink, typename A, typename B>
void compare_ordered(Comparison c, const Rows& rows, const std::uint8_t* validity, Sink& sink, A a, B b) {
  switch (c) {
    case Comparison::kEqual: return compare_rows<Sink, Equal>(rows, validity, false, sink, a, b);
    case Comparison::kNotEqual: return compare_rows<Sink, Equal>(rows, validity, true, sink, a, b);
    case Comparison::kLess: return compare_rows<Sink, Less>(rows, validity, false, sink, a, b);
    case Comparison::kLessOrEqual: return compare_rows<Sink, LessOrEqual>(rows, validity, false, sink, a, b);
    case Comparison::kGreater: return compare_rows<Sink, LessOrEqual>(rows, validity, true, sink, a, b);
    case Comparison::kGreaterOrEqual: return compare_rows<Sink, Less>(rows, validity, true, sink, a, b);
  }
}

/// One comparison over given operands; the right one may be a constant, the left one only if both are.
template <typename Sink>
class Comparer {
 public:
  Comparer(Comparison c, const Values& a, const Values& b, const Rows& rows, const std::uint8_t* validity, Sink& sink)
      : c_(c), a_(a), b_(b), rows_(rows), validity_(validity), sink_(sink) {}

  void run() {
    switch (a_.type().kind()) {
      case TypeKind::kBoolean: return fixed<std::uint8_t>();
      case TypeKind::kInt:
      case TypeKind::kDate: return fixed<std::int32_t>();
      case TypeKind::kBigint:
      case TypeKind::kTimestamp: return fixed<std::int64_t>();
      case TypeKind::kDecimal:
        if (a_.type().scale() != b_.type().scale()) return ordered(ScaledDecimals{&a_}, ScaledDecimals{&b_});
        return fixed<Int128>();
      case TypeKind::kDouble: return doubles();
      case TypeKind::kVarchar:
      case TypeKind::kBytea:
      case TypeKind::kJson: return texts();
      case TypeKind::kInterval: return ordered(IntervalLengths{&a_}, IntervalLengths{&b_});
      case TypeKind::kRow:
      case TypeKind::kArray:
      case TypeKind::kMap:
        return compare_rows<Sink, SameNested>(rows_, validity_, c_ == Comparison::kNotEqual, sink_, NestedRefs{&a_},
                                              NestedRefs{&b_});
    }
  }

 private:
  template <typename A, typename B>
  void ordered(A a, B b) {
    compare_ordered(c_, rows_, validity_, sink_, a, b);
  }

  template <typename T>
  void fixed() {
    if (a_.constant()) return ordered(Same<T>{a_.value<T>(0)}, Same<T>{b_.value<T>(0)});
    if (b_.constant()) return ordered(PerRow<T>{a_.data<T>()}, Same<T>{b_.value<T>(0)});
    ordered(PerRow<T>{a_.data<T>()}, PerRow<T>{b_.data<T>()});
  }
  void doubles() {
    if (!a_.constant() && b_.constant() && b_.value<double>(0) == b_.value<double>(0))
      return ordered(Converted<PlainDouble, double>{a_.data<double>()}, Same<PlainDouble>{{b_.value<double>(0)}});
    fixed<double>();
  }
  void texts() {
    if (a_.constant()) return ordered(Same<std::string_view>{a_.text(0)}, Same<std::string_view>{b_.text(0)});
    if (a_.offsets()) return texts(TextColumn{a_.offsets(), a_.data<char>()});
    texts(PerRow<std::string_view>{a_.data<std::string_view>()});
  }
  template <typename A>
  void texts(A a) {
    if (b_.constant()) return ordered(a, Same<std::string_view>{b_.text(0)});
    if (b_.offsets()) return ordered(a, TextColumn{b_.offsets(), b_.data<char>()});
    ordered(a, PerRow<std::string_view>{b_.data<std::string_view>()});
  }

  Comparison c_;
  const Values& a_;
  const Values& b_;
  const Rows& rows_;
  const std::uint8_t* validity_;
  Sink& sink_;
};

class ComparisonNode final : public Node {
 public:
  ComparisonNode(Comparison c, NodePtr left, NodePtr right, std::size_t offset)
      : Node(Type::boolean(), left->nullable() || right->nullable(), offset), comparison_(c) {
    operands_.push_back(std::move(left));
    operands_.push_back(std::move(right));
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    const Values a = operands_[0]->evaluate(frame, rows), b = operands_[1]->evaluate(frame, rows);
    Values out(Type::boolean());
    out.and_validity(a, rows.batch);
    out.and_validity(b, rows.batch);
    IntoBytes sink{out.fresh<std::uint8_t>(rows.batch)};
    compare(a, b, rows, out.validity(), sink);
    return out;
  }

  void filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const override {
    const Values a = operands_[0]->evaluate(frame, rows), b = operands_[1]->evaluate(frame, rows);
    if (a.constant_null() || b.constant_null()) return;
    Values both(Type::boolean());
    const std::uint8_t* validity = b.validity() && !b.constant() ? b.validity() : nullptr;
    if (a.validity() && !a.constant()) {
      if (validity) {
        both.and_validity(a, rows.batch);
        both.and_validity(b, rows.batch);
        validity = both.validity();
      } else {
        validity = a.validity();
      }
    }
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(rows.count));
    IntoRows sink{out.data() + before};
    compare(a, b, rows, validity, sink);
    out.resize(static_cast<std::size_t>(sink.to - out.data()));
  }

 private:
  template <typename Sink>
  void compare(const Values& a, const Values& b, const Rows& rows, const std::uint8_t* validity, Sink& sink) const {
    if (a.constant() && !b.constant()) Comparer<Sink>(mirrored(comparison_), b, a, rows, validity, sink).run();
    else Comparer<Sink>(comparison_, a, b, rows, validity, sink).run();
  }
  Comparison comparison_;
};

class DistinctNode final : public Node {
 public:
  DistinctNode(bool negated, NodePtr left, NodePtr right, std::size_t offset)
      : Node(Type::boolean(), false, offset), negated_(negated) {
    operands_.push_back(std::move(left));
    operands_.push_back(std::move(right));
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    const Values a = operands_[0]->evaluate(frame, rows), b = operands_[1]->evaluate(frame, rows);
    Values out(Type::boolean());
    auto* bytes = out.fresh<std::uint8_t>(rows.batch);
    IntoBytes sink{bytes};
    const bool swap = a.constant() && !b.constant();
    Comparer<IntoBytes>(Comparison::kEqual, swap ? b : a, swap ? a : b, rows, nullptr, sink).run();
    if (a.validity() || b.validity())
      rows.each([&](std::int32_t i) {
        const bool x = a.valid(i), y = b.valid(i);
        if (!x || !y) bytes[i] = x == y;
      });
    if (!negated_) rows.each([&](std::int32_t i) { bytes[i] ^= 1; });
    return out;
  }

 private:
  bool negated_;
};

}  // namespace

NodePtr make_comparison(Comparison c, NodePtr left, NodePtr right, std::size_t offset) {
  return fold(std::make_unique<ComparisonNode>(c, std::move(left), std::move(right), offset));
}

NodePtr make_distinct(bool negated, NodePtr left, NodePtr right, std::size_t offset) {
  return fold(std::make_unique<DistinctNode>(negated, std::move(left), std::move(right), offset));
}

}  // namespace weir::expr
