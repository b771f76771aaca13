#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Reads `event_time` of a source and marks the column in its schema; nothing happens where the key is not given. False when there is a
/// problem (unknown column, not a timestamp, an expression: not supported yet), which is reported.
bool bind_event_time(const Component& source, Schema& schema, Diagnostics& diagnostics);

}  // namespace weir
