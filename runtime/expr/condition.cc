#include "runtime/expr/condition.h"

#include "runtime/expr/bind/binder.h"
#include "runtime/expr/program/compile.h"

namespace weir {
namespace {

using namespace expr;

enum Sides : unsigned { kNeither = 0, kLeft = 1, kRight = 2, kBoth = 3 };

/// Takes a condition apart that is known to bind over the pairs.
class PairConditionBinding {
 public:
  PairConditionBinding(std::string_view text, const ConditionSide& left, const ConditionSide& right,
                       std::vector<ExpressionError>& errors)
      : text_(text), left_(left), right_(right), errors_(errors) {}

  std::optional<PairCondition> take_apart(const Syntax& condition) {
    std::vector<Syntax> rest;
    for (const Syntax& part : conjuncts(condition))
      if (!take_equality(part)) rest.push_back(part);
    if (!rest.empty())
      result_.rest = compile(all_of(std::move(rest), condition.offset), text_, pair_schema(left_, right_), errors_);
    return std::move(result_);
  }

 private:
  static Syntax all_of(std::vector<Syntax> parts, std::size_t offset) {
    if (parts.size() == 1) return std::move(parts.front());
    Syntax all;
    all.kind = SyntaxKind::kAnd;
    all.offset = offset;
    all.parts = std::move(parts);
    return all;
  }

  /// Whose columns an expression uses. A side as a whole (`l`) is no expression over its columns: then it says both.
  unsigned sides_of(const Syntax& s) const {
    unsigned sides = kNeither;
    if (s.kind == SyntaxKind::kColumn)
      sides = s.names.size() < 2 ? kBoth : s.names[0] == left_.name ? kLeft : s.names[0] == right_.name ? kRight : kBoth;
    for (const Syntax& part : s.parts) sides |= sides_of(part);
    return sides;
  }

  /// The expression over the columns of its side: without the side's name.
  static Syntax over_own_side(Syntax s) {
    if (s.kind == SyntaxKind::kColumn) s.names.erase(s.names.begin());
    for (Syntax& part : s.parts) part = over_own_side(std::move(part));
    return s;
  }

  bool take_equality(const Syntax& s) {
    if (s.kind != SyntaxKind::kOperator || s.text != "=" || s.parts.size() != 2) return false;
    const unsigned first = sides_of(s.parts[0]), second = sides_of(s.parts[1]);
    if ((first | second) != kBoth || (first & second) != kNeither || first == kNeither || second == kNeither) return false;
    const Syntax& left = s.parts[first == kLeft ? 0 : 1];
    const Syntax& right = s.parts[first == kLeft ? 1 : 0];
    Binder binder(left_.schema, errors_), right_binder(right_.schema, errors_);
    auto operands = binder.bind_equality(over_own_side(left), right_binder, over_own_side(right), s.offset);
    if (!operands) return false;
    Equality equality{make_expression(text_, std::move(operands->first), binder),
                      make_expression(text_, std::move(operands->second), right_binder)};
    if (!equality.left->is_deterministic() || !equality.right->is_deterministic()) return false;
    result_.equalities.push_back(std::move(equality));
    return true;
  }

  std::string_view text_;
  const ConditionSide& left_;
  const ConditionSide& right_;
  std::vector<ExpressionError>& errors_;
  PairCondition result_;
};

}  // namespace

Schema pair_schema(const ConditionSide& left, const ConditionSide& right) {
  return Schema({{left.name, Type::row(left.schema.fields())}, {right.name, Type::row(right.schema.fields())}});
}

std::optional<PairCondition> compile_pair_condition(std::string_view text, const ConditionSide& left,
                                                    const ConditionSide& right, std::vector<ExpressionError>& errors) {
  const std::optional<Syntax> syntax = parse_syntax(text, errors);
  if (!syntax) return std::nullopt;
  const std::size_t before = errors.size();
  const ExpressionPtr whole = compile(*syntax, text, pair_schema(left, right), errors, Type::boolean());
  if (whole && whole->type().kind() != TypeKind::kBoolean)
    errors.push_back({syntax->offset, fmt::format("the condition must be boolean, not {}", whole->type().name()),
                      "compare columns of both sides"});
  if (errors.size() > before) return std::nullopt;
  return PairConditionBinding(text, left, right, errors).take_apart(*syntax);
}

}  // namespace weir
