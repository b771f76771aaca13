#include "runtime/expr/bind/cast.h"

#include "runtime/data/decimal.h"

namespace weir::expr {

const CastRule* find_cast(TypeKind from, TypeKind to) {
  static const std::vector<CastRule> rules = [] {
    std::vector<CastRule> r;
    add_number_casts(r);
    add_text_casts(r);
    return r;
  }();
  for (const CastRule& r : rules)
    if (r.from == from && r.to == to) return &r;
  return nullptr;
}

NodePtr make_cast(NodePtr node, const Type& target, std::size_t offset, std::string* failure) {
  if (node->type() == target) return node;
  const CastRule* rule = find_cast(node->type().kind(), target.kind());
  if (!rule) return nullptr;
  std::vector<NodePtr> operands;
  operands.push_back(std::move(node));
  return make_call({rule->kernel, target}, std::move(operands), offset, failure);
}

std::optional<int> implicit_cost(TypeKind from, TypeKind to) {
  if (from == to) return 0;
  struct Cost {
    TypeKind from, to;
    int cost;
  };
  static constexpr Cost kCosts[] = {{TypeKind::kInt, TypeKind::kBigint, 1},     {TypeKind::kInt, TypeKind::kDouble, 2},
                                    {TypeKind::kInt, TypeKind::kDecimal, 3},    {TypeKind::kBigint, TypeKind::kDouble, 2},
                                    {TypeKind::kBigint, TypeKind::kDecimal, 3}, {TypeKind::kDecimal, TypeKind::kDouble, 3},
                                    {TypeKind::kDate, TypeKind::kTimestamp, 1}};
  for (const Cost& c : kCosts)
    if (c.from == from && c.to == to) return c.cost;
  return std::nullopt;
}

Type as_decimal(const Node& node) {
  const ColumnPtr c = node.constant();
  switch (node.type().kind()) {
    case TypeKind::kInt: return Type::decimal(c && c->valid(0) ? count_digits(c->values<std::int32_t>()[0]) : 10, 0);
    case TypeKind::kBigint: return Type::decimal(c && c->valid(0) ? count_digits(c->values<std::int64_t>()[0]) : 19, 0);
    default: return node.type();
  }
}

}  // namespace weir::expr
