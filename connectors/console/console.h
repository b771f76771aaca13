#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds the sinks `console` and `discard`. The console is an open file descriptor; SIGPIPE must be ignored by the process.
void add_console(Components& components, int standard_output = 1);

void add_discard(Components& components);

}  // namespace weir
