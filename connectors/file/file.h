#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds the sources `file` and `stdin` and the sink `file`. `standard_input` is an open file descriptor.
void add_file(Components& components, int standard_input = 0);

void add_file_source(Components& components);
void add_stdin(Components& components, int standard_input);
void add_file_sink(Components& components);

}  // namespace weir
