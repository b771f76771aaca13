#pragma once
#include "runtime/expr/program/node.h"

namespace weir::expr {

/// Three-valued logic. `and` runs each part only on the rows where those before it are not false, `or` where they are not
/// true; as a filter, only where the row can still come through.
NodePtr make_and(std::vector<NodePtr> parts, std::size_t offset);
NodePtr make_or(std::vector<NodePtr> parts, std::size_t offset);
NodePtr make_not(NodePtr part, std::size_t offset);

/// `is [not] null`, for any type.
NodePtr make_null_test(bool negated, NodePtr part, std::size_t offset);

/// `is [not] true / false / unknown`.
enum class TruthTest { kTrue, kFalse, kUnknown };
NodePtr make_truth_test(TruthTest test, bool negated, NodePtr part, std::size_t offset);

}  // namespace weir::expr
