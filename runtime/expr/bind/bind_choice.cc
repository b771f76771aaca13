#include "runtime/expr/bind/binder.h"
#include "runtime/expr/bind/cast.h"
#include "runtime/expr/program/choice.h"
#include "runtime/expr/program/logic.h"

namespace weir::expr {

Binder::Shared Binder::share(NodePtr value) {
  Shared shared;
  if (const auto* c = dynamic_cast<const ColumnNode*>(value.get())) {
    shared.use = [this, column = c->column(), offset = c->offset()] {
      return std::make_unique<ColumnNode>(column, schema_[column], offset);
    };
    return shared;
  }
  if (const ColumnPtr c = value->constant()) {
    shared.use = [c, offset = value->offset(), unknown = is_unknown(*value)] {
      return std::make_unique<ConstantNode>(c, offset, unknown);
    };
    return shared;
  }
  shared.slot = slots_++;
  shared.use = [slot = shared.slot, type = value->type(), nullable = value->nullable(), offset = value->offset()] {
    return std::make_unique<SlotNode>(slot, type, nullable, offset);
  };
  shared.value = std::move(value);
  return shared;
}

NodePtr Binder::let(Shared shared, NodePtr body) {
  if (!body || !shared.value) return body;
  return std::make_unique<LetNode>(shared.slot, std::move(shared.value), std::move(body));
}

NodePtr Binder::in_list(const Syntax& s) {
  std::vector<NodePtr> nodes;
  if (!bind_all(s.parts, 0, nodes)) return nullptr;
  const std::optional<Type> type = common_type(nodes, "IN");
  if (!type) return nullptr;
  if (!is_comparable(*type)) return refuse(s.offset, fmt::format("operator does not exist: {0} = {0}", type->name()));
  bool good = true, constants = can_be_in_set(*type);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = coerce(std::move(nodes[i]), *type, "IN");
    good &= nodes[i] != nullptr;
    if (good && i) constants &= nodes[i]->constant() != nullptr;
  }
  if (!good) return nullptr;
  NodePtr value = std::move(nodes[0]), result;
  nodes.erase(nodes.begin());
  if (constants && nodes.size() > 1) {
    result = make_in_set(std::move(value), std::move(nodes), s.offset);
  } else {
    Shared shared = share(std::move(value));
    std::vector<NodePtr> parts;
    for (NodePtr& n : nodes) parts.push_back(make_comparison(Comparison::kEqual, shared.use(), std::move(n), s.offset));
    result = let(std::move(shared), make_or(std::move(parts), s.offset));
  }
  return s.negated ? make_not(std::move(result), s.offset) : std::move(result);
}

NodePtr Binder::between(const Syntax& s) {
  std::vector<NodePtr> nodes;
  if (!bind_all(s.parts, 0, nodes)) return nullptr;
  // Compared pairwise, as `x >= low and x <= high`. The upper bound is not evaluated where the lower one decides.
  Shared x = share(std::move(nodes[0]));
  if (!s.symmetric) {
    std::vector<NodePtr> both;
    both.push_back(comparison(Comparison::kGreaterOrEqual, x.use(), std::move(nodes[1]), s.offset));
    both.push_back(comparison(Comparison::kLessOrEqual, x.use(), std::move(nodes[2]), s.offset));
    if (!both[0] || !both[1]) return nullptr;
    NodePtr within = make_and(std::move(both), s.offset);
    return let(std::move(x), s.negated ? make_not(std::move(within), s.offset) : std::move(within));
  }
  // Both bounds are needed in any case.
  Shared low = share(std::move(nodes[1])), high = share(std::move(nodes[2]));
  const auto within = [&](Shared& from, Shared& to) -> NodePtr {
    std::vector<NodePtr> both;
    both.push_back(comparison(Comparison::kGreaterOrEqual, x.use(), from.use(), s.offset));
    both.push_back(comparison(Comparison::kLessOrEqual, x.use(), to.use(), s.offset));
    return both[0] && both[1] ? make_and(std::move(both), s.offset) : nullptr;
  };
  NodePtr result = within(low, high);
  if (result) {
    std::vector<NodePtr> either;
    either.push_back(std::move(result));
    either.push_back(within(high, low));
    result = either[1] ? make_or(std::move(either), s.offset) : nullptr;
  }
  if (result && s.negated) result = make_not(std::move(result), s.offset);
  return let(std::move(x), let(std::move(low), let(std::move(high), std::move(result))));
}

NodePtr Binder::case_of(const Syntax& s) {
  const std::size_t begin = s.has_operand ? 1 : 0, end = s.parts.size() - (s.has_else ? 1 : 0);
  std::optional<Shared> operand;
  bool good = true;
  if (s.has_operand) {
    NodePtr value = bind(s.parts[0]);
    good = value != nullptr;
    if (good && is_unknown(*value)) value = literal_as(*value, Type::varchar());
    if (good) operand = share(std::move(value));
  }
  std::vector<NodePtr> conditions, results;
  for (std::size_t i = begin; i < end; i += 2) {
    NodePtr condition = s.has_operand ? bind(s.parts[i]) : bind_boolean(s.parts[i], "CASE/WHEN");
    if (condition && operand)
      condition = comparison(Comparison::kEqual, operand->use(), std::move(condition), s.parts[i].offset);
    good &= condition != nullptr;
    conditions.push_back(std::move(condition));
    results.push_back(bind(s.parts[i + 1]));
    good &= results.back() != nullptr;
  }
  if (s.has_else) {
    results.push_back(bind(s.parts.back()));
    good &= results.back() != nullptr;
  }
  if (!good || !coerce_all(results, "CASE")) return nullptr;
  NodePtr otherwise;
  if (s.has_else) {
    otherwise = std::move(results.back());
    results.pop_back();
  }
  NodePtr result = make_case(std::move(conditions), std::move(results), std::move(otherwise), s.offset);
  return operand ? let(std::move(*operand), std::move(result)) : std::move(result);
}

NodePtr Binder::coalesce(const Syntax& s) {
  std::vector<NodePtr> parts;
  if (!bind_all(s.parts, 0, parts) || !coerce_all(parts, "COALESCE")) return nullptr;
  return make_coalesce(std::move(parts), s.offset);
}

NodePtr Binder::extreme(const Syntax& s) {
  const bool greatest = s.kind == SyntaxKind::kGreatest;
  std::vector<NodePtr> parts;
  if (!bind_all(s.parts, 0, parts) || !coerce_all(parts, greatest ? "GREATEST" : "LEAST")) return nullptr;
  if (!is_ordered(parts[0]->type()))
    return refuse(s.offset, fmt::format("values of type {} have no order", parts[0]->type().name()));
  return make_extreme(greatest, std::move(parts), s.offset);
}

/// `nullif(a, b)` is `case when a = b then null else a end`.
NodePtr Binder::null_if(const Syntax& s) {
  NodePtr a = bind(s.parts[0]), b = bind(s.parts[1]);
  if (!a || !b) return nullptr;
  if (is_unknown(*a)) a = literal_as(*a, is_unknown(*b) ? Type::varchar() : b->type());
  if (!a) return nullptr;
  // The result has the type that both are compared in, where the first is no whole number or double already: nullif(1, 1.0)
  // is decimal.
  const TypeKind kind = a->type().kind(), other = b->type().kind();
  const bool widens = a->type().is_number() && !is_unknown(*b) &&
                      ((other == TypeKind::kDouble && kind != TypeKind::kDouble) ||
                       (other == TypeKind::kDecimal && (kind == TypeKind::kInt || kind == TypeKind::kBigint)));
  if (widens) a = coerce(std::move(a), other == TypeKind::kDouble ? Type::dbl() : as_decimal(*a), "nullif");
  if (!a) return nullptr;
  Shared shared = share(std::move(a));
  std::vector<NodePtr> conditions, results;
  conditions.push_back(comparison(Comparison::kEqual, shared.use(), std::move(b), s.offset));
  if (!conditions[0]) return nullptr;
  NodePtr otherwise = shared.use();
  results.push_back(null_constant(otherwise->type(), s.offset));
  return let(std::move(shared), make_case(std::move(conditions), std::move(results), std::move(otherwise), s.offset));
}

}  // namespace weir::expr
