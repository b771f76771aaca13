#pragma once
#include "runtime/expr/program/node.h"

namespace weir::expr {

/// `case`: `conditions[k]` (boolean) chooses `results[k]` (all of one type); `otherwise` may be null: then null. A result,
/// and a later condition, is computed only for the rows that come to it.
NodePtr make_case(std::vector<NodePtr> conditions, std::vector<NodePtr> results, NodePtr otherwise, std::size_t offset);

/// The first part (all of one type) that is not null; a part is computed only where those before it are null.
NodePtr make_coalesce(std::vector<NodePtr> parts, std::size_t offset);

/// Greatest or least of the parts (of one ordered type) that are not null; null if all are.
NodePtr make_extreme(bool greatest, std::vector<NodePtr> parts, std::size_t offset);

/// True for types that make_in_set takes: int, bigint, date, timestamp, varchar, bytea.
bool can_be_in_set(const Type& type);
/// `value in (constants)` for constants of the value's type: looks it up. False or null as PostgreSQL's `in`.
NodePtr make_in_set(NodePtr value, std::vector<NodePtr> constants, std::size_t offset);

}  // namespace weir::expr
