#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds every component that the program has. The only place that knows them all.
void add_all_components(Components& components);

}  // namespace weir
