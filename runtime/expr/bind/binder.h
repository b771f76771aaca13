#pragma once
#include <functional>
#include <set>

#include "runtime/expr/bind/registry.h"
#include "runtime/expr/program/compare.h"
#include "runtime/expr/program/node.h"
#include "runtime/expr/syntax/syntax.h"

namespace weir::expr {

/// Gives names and types to an expression: turns its syntax into a program over the columns of a schema, every conversion a
/// step of its own, constants computed. Used once per expression.
///
/// A bind function returns null after it added an error; all operands of a node are bound before it gives up, so that all
/// their errors are found.
class Binder {
 public:
  Binder(const Schema& schema, std::vector<ExpressionError>& errors) : schema_(schema), errors_(errors) {}

  /// The whole expression; a plain literal, which has no type of its own, becomes `literal`.
  NodePtr bind_whole(const Syntax& syntax, const Type& literal);

  /// Both operands of `left = right`, of one type, `right` being bound by a binder over another schema. Nothing, with an
  /// error, where they cannot be compared.
  std::optional<std::pair<NodePtr, NodePtr>> bind_equality(const Syntax& left, Binder& over_right, const Syntax& right,
                                                           std::size_t offset);

  const std::set<int>& columns() const { return columns_; }
  /// How many slots a frame needs.
  int slots() const { return slots_; }

 private:
  NodePtr bind(const Syntax& s);
  bool bind_all(const std::vector<Syntax>& parts, std::size_t begin, std::vector<NodePtr>& out);
  NodePtr bind_boolean(const Syntax& s, std::string_view where);

  // binder.cc
  NodePtr column(const Syntax& s);
  std::optional<int> find_column(const Syntax& s);
  NodePtr member(NodePtr row, const std::string& name, std::size_t offset);
  NodePtr junction(const Syntax& s);
  NodePtr null_test(const Syntax& s);
  NodePtr truth_test(const Syntax& s);

  // bind_literal.cc
  NodePtr number(const Syntax& s);
  NodePtr text(const Syntax& s);
  NodePtr cast(const Syntax& s);
  std::optional<Type> type_of(const TypeSyntax& t, const Node* source);
  NodePtr interval_literal(const Node& literal, const TypeSyntax& t);
  NodePtr with_modifiers(NodePtr node, const TypeSyntax& t, std::size_t offset);

  // bind_operator.cc
  NodePtr operation(const Syntax& s);
  NodePtr call(const Syntax& s);
  NodePtr comparison(Comparison c, NodePtr left, NodePtr right, std::size_t offset);
  NodePtr comparison_or_distinct(const Syntax& s, std::optional<Comparison> c);
  NodePtr resolve(std::string_view name, std::vector<NodePtr> arguments, const Syntax& s);
  const Signature* choose(std::string_view name, const std::vector<NodePtr>& arguments, bool& ambiguous) const;
  NodePtr fit_argument(const Parameter& parameter, NodePtr argument, std::string_view function);
  NodePtr apply(const Signature& signature, std::vector<NodePtr> arguments, const Syntax& s);
  NodePtr no_such_form(std::string_view name, const std::vector<NodePtr>& arguments, const Syntax& s, bool ambiguous);
  void make_text_of_other_side(std::vector<NodePtr>& operands);
  NodePtr like(const Syntax& s);
  NodePtr extract(std::string_view name, std::vector<NodePtr> arguments, const Syntax& s);

  // bind_choice.cc
  NodePtr in_list(const Syntax& s);
  NodePtr between(const Syntax& s);
  NodePtr case_of(const Syntax& s);
  NodePtr coalesce(const Syntax& s);
  NodePtr extreme(const Syntax& s);
  NodePtr null_if(const Syntax& s);
  /// Makes a value usable several times: itself if it is a column or constant, else a slot that `value` must fill around it.
  struct Shared {
    NodePtr value;  ///< null if no slot is needed
    int slot = -1;
    std::function<NodePtr()> use;
  };
  Shared share(NodePtr value);
  NodePtr let(Shared shared, NodePtr body);

  // coercion.cc
  /// Converts implicitly; `what` names the place in the error.
  NodePtr coerce(NodePtr node, const Type& target, std::string_view what);
  /// The one type that all nodes can take, for `what`; adds an error if there is none.
  std::optional<Type> common_type(const std::vector<NodePtr>& nodes, std::string_view what);
  bool coerce_all(std::vector<NodePtr>& nodes, std::string_view what);
  /// Makes both sides of a comparison one type.
  bool match_sides(NodePtr& left, NodePtr& right, std::string_view symbol, std::size_t offset);
  NodePtr literal_as(const Node& literal, const Type& target);

  NodePtr refuse(std::size_t offset, std::string text, std::string hint = {});

  const Schema& schema_;
  std::vector<ExpressionError>& errors_;
  std::set<int> columns_;
  int slots_ = 0;
};

/// True for a plain string or null literal, which takes any type.
bool is_unknown(const Node& node);
/// The type's name for messages; `unknown` for a plain literal.
std::string shown_type(const Node& node);

}  // namespace weir::expr
