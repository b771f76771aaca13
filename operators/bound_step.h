#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "runtime/api/operator.h"

namespace weir {

/// A bound step that is nothing more than its ports, how rows get to it, and what makes its operators.
std::unique_ptr<BoundStep> bound_step(std::vector<Port> ports, std::function<std::unique_ptr<Operator>()> make,
                                      Exchange exchange = {});

}  // namespace weir
