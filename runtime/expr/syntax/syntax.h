#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/expr/expression.h"

namespace weir::expr {

/// What a Syntax node is; the comment says what `text` and `parts` hold.
enum class SyntaxKind {
  kNull,         ///< the literal null
  kBoolean,      ///< text: true, false
  kNumber,       ///< text: the number as written, with its sign if the parser merged it
  kText,         ///< text: the literal's value
  kColumn,       ///< names: one or more; quoted: the first one was written in double quotes
  kOperator,     ///< text: the operator; parts: one or two operands
  kAnd,          ///< parts: two or more
  kOr,           ///< parts: two or more
  kNot,          ///< parts: one
  kIsNull,       ///< parts: one; negated
  kBooleanTest,  ///< text: true, false, unknown; parts: one; negated
  kDistinct,     ///< parts: two; negated: is not distinct from
  kIn,           ///< parts: the operand, then the list; negated
  kBetween,      ///< parts: operand, low, high; negated; symmetric
  kLike,         ///< parts: operand, pattern, [escape]; negated; text: like, ilike
  kCase,         ///< parts: [operand if has_operand], then pairs of condition and result, then [else if has_else]
  kCoalesce,     ///< parts: one or more
  kGreatest,     ///< parts
  kLeast,        ///< parts
  kNullIf,       ///< parts: two
  kCall,         ///< text: the function's name; parts: its arguments; of an aggregate also star, distinct, filter
  kCast,         ///< type; parts: one
  kField,        ///< text: the member's name; parts: one
};

/// A type as written after `::`: the parser's name (`int4`), modifiers, and where.
struct TypeSyntax {
  std::string name;
  std::vector<int> modifiers;
  bool array = false;
  std::size_t offset = 0;
};

/// An expression's tree, independent of the parser. `offset` points into the expression's text: where a message about this
/// node should point.
struct Syntax {
  SyntaxKind kind = SyntaxKind::kNull;
  std::size_t offset = 0;
  std::string text;
  std::vector<std::string> names;
  std::vector<Syntax> parts;
  std::vector<Syntax> filter;  ///< of an aggregate call: none or one condition
  TypeSyntax type;
  bool quoted = false;
  bool negated = false;
  bool symmetric = false;
  bool has_operand = false;
  bool has_else = false;
  bool star = false;
  bool distinct = false;
};

/// Parses `text` by PostgreSQL's grammar (libpg_query, as `SELECT text`) and refuses all that is not one plain expression.
/// What only aggregate calls may have (`count(*)`, distinct, filter) is refused unless `aggregates`. On failure returns
/// nothing and appends to `errors`. Any thread.
std::optional<Syntax> parse_syntax(std::string_view text, std::vector<ExpressionError>& errors, bool aggregates = false);

/// The parts of a condition that must all be true: those that AND joins, also in parentheses; else the condition itself.
std::vector<Syntax> conjuncts(const Syntax& condition);

/// True for words that PostgreSQL reserves, so that a column of that name must be written in double quotes.
bool is_reserved_word(std::string_view word);

}  // namespace weir::expr
