#pragma once
#include <simdjson.h>

#include "runtime/expr/syntax/syntax.h"

namespace weir::expr {

/// Turns libpg_query's JSON tree of one expression into Syntax, refusing what is no part of an expression or not built yet.
/// Offsets in the JSON count from the beginning of the parsed statement, `prefix` bytes before the expression.
class TreeReader {
 public:
  TreeReader(std::string_view text, std::size_t prefix, std::vector<ExpressionError>& errors, bool aggregates)
      : text_(text), prefix_(prefix), errors_(errors), aggregates_(aggregates) {}

  /// Reads a node; where it is refused, an error was added and the returned node means nothing.
  Syntax read(simdjson::dom::element node, std::size_t parent);

  /// Adds an error about the place `offset` of the expression.
  void refuse(std::size_t offset, std::string text, std::string hint = {});

  /// The node's own place in the expression, or `otherwise` if it has none.
  std::size_t place(simdjson::dom::object body, std::size_t otherwise) const;

 private:
  using Object = simdjson::dom::object;
  Syntax constant(Object body, std::size_t at);
  Syntax column(Object body, std::size_t at);
  Syntax operation(Object body, std::size_t at);
  Syntax boolean_operation(Object body, std::size_t at);
  Syntax list_operation(Object body, Syntax node);
  Syntax like(Object body, Syntax node);
  Syntax null_test(Object body, std::size_t at);
  Syntax boolean_test(Object body, std::size_t at);
  Syntax case_of(Object body, std::size_t at);
  Syntax call(Object body, std::size_t at);
  bool aggregate_parts(Object body, Syntax& call);
  Syntax cast(Object body, std::size_t at);
  Syntax member(Object body, std::size_t at);
  Syntax minimum_or_maximum(Object body, std::size_t at);
  Syntax value_function(Object body, std::size_t at);
  Syntax unsupported(std::string_view kind, std::size_t at);
  TypeSyntax type_name(Object body, std::size_t at);
  void read_all(simdjson::dom::array nodes, Syntax& into);
  std::size_t end_of_word(std::size_t at) const;
  std::int64_t digits_behind_minus(std::size_t at) const;

  std::string_view text_;
  std::size_t prefix_;
  std::vector<ExpressionError>& errors_;
  bool aggregates_;  ///< calls may be aggregate calls
};

}  // namespace weir::expr
