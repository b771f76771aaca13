#pragma once
#include <string>
#include <vector>

#include "runtime/data/column.h"

namespace weir::test {

/// One type of every kind, and nested ones.
std::vector<Type> every_type();
/// Appends value number n of a fixed, varied series to a builder of any type; every seventh value or so is null, in nested
/// parts too.
void append_sample(ColumnBuilder& builder, int n);
/// Values 0 to rows - 1 of the series.
ColumnPtr sample(const Type& type, int rows);
std::string text_of(const Column& column, std::int64_t row);

}  // namespace weir::test
