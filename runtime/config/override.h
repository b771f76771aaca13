#pragma once
#include <string>

#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// Applies one `--set PATH=VALUE`: keys joined by dots (`sources.bids.topic=x`; a key that holds dots is found too), numbers
/// for items of lists. VALUE is YAML (`[a, b]` makes a list), where it parses as such, and is shown as `--set` in messages.
/// Mappings that are missing on the way are made; anything else in the way is an error.
void apply_override(Node& root, const std::string& assignment, Diagnostics& diagnostics);

}  // namespace weir
