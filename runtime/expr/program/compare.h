#pragma once
#include "runtime/expr/program/node.h"

namespace weir::expr {

/// <> and >, >= are the negations of =, <=, <: every type's order is total (NaN equals NaN and is above all numbers).
enum class Comparison { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

const char* symbol_of(Comparison comparison);
/// The comparison with its sides exchanged.
Comparison mirrored(Comparison comparison);

/// Compares two values of one type; decimals may differ in precision and scale. Text and bytes compare byte by byte;
/// intervals with a month as 30 days and a day as 24 hours; rows, arrays and maps only by = and <>, json not at all.
NodePtr make_comparison(Comparison comparison, NodePtr left, NodePtr right, std::size_t offset);

/// `is [not] distinct from`: never null; two nulls are equal.
NodePtr make_distinct(bool negated, NodePtr left, NodePtr right, std::size_t offset);

/// True if the type has an order.
bool is_ordered(const Type& type);
/// True if values of the type can be compared by = and <>.
bool is_comparable(const Type& type);

}  // namespace weir::expr
