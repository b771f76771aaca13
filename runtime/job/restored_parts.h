#pragma once
#include <vector>

#include "runtime/job/starting_point.h"

namespace weir {

/// Gives the part files of the restored checkpoint, and of all committed checkpoints of `job` in `folder` and of a job that
/// is taken over, their final names: their rows count, whatever the job goes on from. Returns those that are there.
/// Repeatable; blocks. Throws Error(kRefused) for a part that no sink of the file can name.
std::vector<PendingPart> publish_restored_parts(const Graph& graph, const CheckpointFolder& folder, const std::string& job,
                                                const StartingPoint& from);

}  // namespace weir
