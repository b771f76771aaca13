#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds the sink `console`, which writes to an open file descriptor: standard output. SIGPIPE must be ignored by the process.
void add_console(Components& components, int descriptor);

/// Adds the sink `discard`.
void add_discard(Components& components);

}  // namespace weir
