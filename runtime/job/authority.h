#pragma once
#include <memory>
#include <string>

#include "runtime/api/commit_authority.h"
#include "runtime/job/setting.h"

namespace weir {

/// The authority that a graph's exactly-once sinks commit with, once all of them have joined it; or the local one.
std::unique_ptr<CommitAuthority> make_authority(const Graph& graph, AttemptContext& attempt);

/// An authority of this job at the cluster that the named one commits to: a sink's, which knows its topics, or that of a
/// connection; null where none reaches it. May block.
std::unique_ptr<CommitAuthority> find_authority(const JobSetting& setting, AttemptContext& attempt, const std::string& name);

}  // namespace weir
