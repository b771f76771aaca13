#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds the sink `console`, which writes to an open file descriptor. SIGPIPE must be ignored by the process.
void add_console(Components& components, int standard_output = 1);

/// Adds the sink `discard`.
void add_discard(Components& components);

}  // namespace weir
