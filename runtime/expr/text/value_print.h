#pragma once
#include <string>

#include "runtime/expr/program/values.h"

namespace weir::expr {

/// Appends the value of row i, which is not null, as PostgreSQL's output function prints it (booleans as `t` and `f`).
void append_printed(std::string& out, const Values& values, std::int32_t i);

}  // namespace weir::expr
