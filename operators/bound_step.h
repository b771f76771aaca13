#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/config/diagnostics.h"
#include "runtime/config/source_text.h"

namespace weir {

/// A bound step that is nothing more than its ports, how rows get to it, and what makes its operators.
std::unique_ptr<BoundStep> bound_step(std::vector<Port> ports, std::function<std::unique_ptr<Operator>()> make,
                                      Exchange exchange = {});

/// Reports a condition over a changelog that depends on more than the row: a row might go in and never come out again.
/// Nothing for one that could not be bound, which is null.
void check_condition(const ExpressionPtr& condition, const Location& where, const Schema& input, Diagnostics& diagnostics);

}  // namespace weir
