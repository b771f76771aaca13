#pragma once
#include <vector>

#include "runtime/config/declaration.h"

namespace weir {

/// The keys that all sources share: type, format, schema, event_time, on_error, parallelism.
const std::vector<ConfigField>& source_fields();
/// The keys that all steps share: from, on_error.
const std::vector<ConfigField>& step_fields();
/// The keys that all sinks share: from, type, format, on_error.
const std::vector<ConfigField>& sink_fields();
/// type.
const std::vector<ConfigField>& connection_fields();
/// The keys at the top of a pipeline file.
const std::vector<ConfigField>& top_level_fields();

/// All keys of a component: those of its kind (as far as it takes them), then its own.
std::vector<ConfigField> all_fields(const Declaration& declaration);

}  // namespace weir
