#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds the source `file`.
void add_file_source(Components& components);
/// Adds the source `stdin`, which reads an open file descriptor: standard input.
void add_stdin(Components& components, int descriptor);
/// Adds the sink `file`.
void add_file_sink(Components& components);

}  // namespace weir
