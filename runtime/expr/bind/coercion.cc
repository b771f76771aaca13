#include "runtime/data/decimal.h"
#include "runtime/expr/bind/binder.h"
#include "runtime/expr/bind/cast.h"

namespace weir::expr {

NodePtr Binder::coerce(NodePtr node, const Type& target, std::string_view what) {
  if (is_unknown(*node)) return literal_as(*node, target);
  if (node->type() == target) return node;
  const CastRule* rule = find_cast(node->type().kind(), target.kind());
  if (!rule || rule->context != CastContext::kImplicit)
    return refuse(node->offset(), fmt::format("{} must be type {}, not {}", what, target.name(), node->type().name()),
                  rule ? fmt::format("add a cast: ...::{}", target.name()) : "");
  const std::size_t offset = node->offset();
  return make_cast(std::move(node), target, offset);
}

namespace {

/// The number type that holds both, or nothing.
std::optional<Type> wider(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.kind() == TypeKind::kDecimal && b.kind() == TypeKind::kDecimal) {
    const int scale = std::max(a.scale(), b.scale());
    const int whole = std::max(a.precision() - a.scale(), b.precision() - b.scale());
    return Type::decimal(std::min(whole + scale, kDecimalDigits), scale);
  }
  if (implicit_cost(a.kind(), b.kind())) return b;
  if (implicit_cost(b.kind(), a.kind())) return a;
  return std::nullopt;
}

/// How two types that meet can be made one; only what there is a cast for.
std::string cast_hint(const Type& a, const Type& b) {
  const auto is = [&](TypeKind kind) { return a.kind() == kind || b.kind() == kind; };
  if (is(TypeKind::kTimestamp) && (a.is_number() || b.is_number()))
    return "a time is written timestamp '2024-01-01'; a number of seconds becomes a timestamp by to_timestamp(x), a "
           "timestamp one by "
           "extract(epoch from x)";
  if (is(TypeKind::kInterval) && (a.is_number() || b.is_number()))
    return "an interval has so many seconds: extract(epoch from x)";
  if (is(TypeKind::kBoolean) && (a.is_number() || b.is_number()))
    return "a condition is compared with true or false, a number with a number";
  const Type* target = b.kind() == TypeKind::kVarchar && find_cast(a.kind(), b.kind()) ? &b
                       : find_cast(b.kind(), a.kind())                                 ? &a
                       : find_cast(a.kind(), b.kind())                                 ? &b
                                                                                       : nullptr;
  if (!target) return {};
  return fmt::format("cast the {} to {}: x::{}", target == &a ? b.name() : a.name(), target->name(), target->name());
}

}  // namespace

std::optional<Type> Binder::common_type(const std::vector<NodePtr>& nodes, std::string_view what) {
  const Node* first = nullptr;
  bool decimal = false, number = true;
  for (const NodePtr& n : nodes)
    if (!is_unknown(*n)) {
      decimal |= n->type().kind() == TypeKind::kDecimal;
      number &= n->type().is_number() && n->type().kind() != TypeKind::kDouble;
    }
  std::optional<Type> type;
  for (const NodePtr& n : nodes) {
    if (is_unknown(*n)) continue;
    const Type own = decimal && number ? as_decimal(*n) : n->type();
    if (!type) {
      type = own;
      first = n.get();
      continue;
    }
    const std::optional<Type> both = wider(*type, own);
    if (!both)
      return refuse(n->offset(),
                    fmt::format("{} types {} and {} cannot be matched", what, first->type().name(), n->type().name()),
                    cast_hint(first->type(), n->type())),
             std::nullopt;
    type = both;
  }
  return type ? *type : Type::varchar();
}

bool Binder::coerce_all(std::vector<NodePtr>& nodes, std::string_view what) {
  const std::optional<Type> type = common_type(nodes, what);
  if (!type) return false;
  bool good = true;
  for (NodePtr& n : nodes) {
    n = coerce(std::move(n), *type, what);
    good &= n != nullptr;
  }
  return good;
}

namespace {

/// Brings a decimal constant to the scale of what it is compared with, if it keeps its value.
void fit_constant(NodePtr& constant, const Type& other) {
  const ColumnPtr c = constant->constant();
  if (!c || !c->valid(0) || c->type().scale() >= other.scale()) return;
  const std::optional<Int128> v = decimal_rescale(c->values<Int128>()[0], c->type().scale(), other.scale());
  if (!v) return;
  ColumnBuilder b(Type::decimal(kDecimalDigits, other.scale()));
  b.append_decimal(*v);
  constant = std::make_unique<ConstantNode>(b.finish(), constant->offset());
}

}  // namespace

/// Decimals keep their own scales: the comparison sees to that, since a common scale might not fit.
bool Binder::match_sides(NodePtr& left, NodePtr& right, std::string_view symbol, std::size_t offset) {
  if (is_unknown(*left) && is_unknown(*right)) {
    left = literal_as(*left, Type::varchar());
    right = literal_as(*right, Type::varchar());
    return left && right;
  }
  if (is_unknown(*left)) return (left = literal_as(*left, right->type())) != nullptr;
  if (is_unknown(*right)) return (right = literal_as(*right, left->type())) != nullptr;
  const auto make_decimal = [](NodePtr& n) {
    const Type type = as_decimal(*n);
    const std::size_t at = n->offset();
    n = make_cast(std::move(n), type, at);
  };
  const TypeKind l = left->type().kind(), r = right->type().kind();
  if (l != r && left->type().is_number() && right->type().is_number() && l != TypeKind::kDouble && r != TypeKind::kDouble &&
      (l == TypeKind::kDecimal || r == TypeKind::kDecimal)) {
    make_decimal(left);
    make_decimal(right);
  }
  if (left->type().kind() == TypeKind::kDecimal && right->type().kind() == TypeKind::kDecimal) {
    fit_constant(left, right->type());
    fit_constant(right, left->type());
    return true;
  }
  const std::optional<Type> type = wider(left->type(), right->type());
  if (!type) {
    refuse(offset, fmt::format("operator does not exist: {} {} {}", left->type().name(), symbol, right->type().name()),
           cast_hint(left->type(), right->type()));
    return false;
  }
  const std::size_t left_at = left->offset(), right_at = right->offset();
  left = make_cast(std::move(left), *type, left_at);
  right = make_cast(std::move(right), *type, right_at);
  return left && right;
}

}  // namespace weir::expr
