#pragma once
#include <string>

#include "runtime/api/component.h"

namespace weir {

/// What to write where a step needs the event time and its input has none: which select leaves it out, and the column that
/// it is in there; or that the source needs one. Looks at the file only.
std::string event_time_hint(const PipelineFile& file, const BoundInput& input);

}  // namespace weir
