#pragma once
#include <optional>

#include "runtime/expr/program/call.h"

namespace weir::expr {

/// When a conversion may happen.
enum class CastContext {
  kImplicit,  ///< by itself, where an operator or function needs the other type
  kExplicit,  ///< only as `::type` or `cast`
};

struct CastRule {
  TypeKind from, to;
  CastContext context;
  Kernel kernel;
};

/// How a value of one kind of type becomes one of another; null if it cannot. Decimals: also from one shape to another.
const CastRule* find_cast(TypeKind from, TypeKind to);

/// `cast(node as target)` as an explicit step, none if it has the type already; null if there is no such cast. A constant is
/// converted at once; if that fails the reason goes to `failure`.
NodePtr make_cast(NodePtr node, const Type& target, std::size_t offset, std::string* failure = nullptr);

/// What an implicit conversion costs when forms of a function compete: 0 for the same kind, less is nearer; nothing if there
/// is none.
std::optional<int> implicit_cost(TypeKind from, TypeKind to);

/// The decimal type that holds all values of an integer or decimal type; of an integer constant, just its digits.
Type as_decimal(const Node& node);

/// Both add the rules of their file.
void add_number_casts(std::vector<CastRule>& rules);
void add_text_casts(std::vector<CastRule>& rules);

}  // namespace weir::expr
