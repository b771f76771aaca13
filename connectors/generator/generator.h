#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds the source `generator`.
void add_generator(Components& components);

}  // namespace weir
