#pragma once
#include <memory>

#include "connectors/file/chunk_decoder.h"
#include "runtime/api/component.h"

namespace weir {

/// Reads `format`, `schema` and `on_error` of a source of lines. Null when there is a problem, which is reported.
std::shared_ptr<const LineSourcePlan> bind_lines(const Component& source, Diagnostics& diagnostics);

}  // namespace weir
