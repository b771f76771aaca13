#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/expr/expression.h"

namespace weir {

/// One of the two inputs of a condition: the name that stands before its columns (`l` in `l.id`), and their schema.
struct ConditionSide {
  std::string name;
  const Schema& schema;
};

/// `left = right`: each an expression over the rows of its own input, both of one type. Null equals nothing.
struct Equality {
  ExpressionPtr left, right;
};

/// A condition over pairs of rows, taken apart into what finds the pairs and what is asked of each.
struct PairCondition {
  std::vector<Equality> equalities;  ///< all must hold
  ExpressionPtr rest;                ///< must be true too, over pair_schema(); null: nothing more is asked
};

/// The schema of pairs: a row column for each side, of the side's name.
Schema pair_schema(const ConditionSide& left, const ConditionSide& right);

/// Parses and binds a condition over the columns of two inputs and takes it apart: parts joined by AND that compare an
/// expression over one side with one over the other by `=` become equalities, all others the rest. An operand that is not
/// deterministic makes no equality. On failure returns nothing and appends to `errors`, with offsets in `text`.
std::optional<PairCondition> compile_pair_condition(std::string_view text, const ConditionSide& left,
                                                    const ConditionSide& right, std::vector<ExpressionError>& errors);

}  // namespace weir
