#pragma once
#include <string_view>
#include <vector>

#include "runtime/expr/program/node.h"
#include "runtime/expr/syntax/syntax.h"

namespace weir::expr {

/// Binds an expression that is parsed already; `text` is what it was parsed from. On failure returns null and appends to
/// `errors` (one or more).
ExpressionPtr compile(const Syntax& syntax, std::string_view text, const Schema& input, std::vector<ExpressionError>& errors,
                      const Type& literal = Type::varchar());

class Binder;

/// The program of a root that `binder` has bound; `text` is what Expression::text() answers.
ExpressionPtr make_expression(std::string_view text, NodePtr root, const Binder& binder);

}  // namespace weir::expr
