#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds every component that the program has. The only place that knows them all.
void add_all_components(Components& components);

/// JobOptions::authority_at of a file.
std::unique_ptr<CommitAuthority> authority_at(const PipelineFile& file, AttemptContext& attempt, const std::string& name);

}  // namespace weir
