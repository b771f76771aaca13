#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/data/record_batch.h"
#include "runtime/state/key_group.h"

namespace weir {

/// The key group of each row.
void key_groups(const RecordBatch& batch, std::span<const int> columns, std::vector<std::uint8_t>& groups);

/// The task that owns a group when `tasks` share them: the inverse of KeyGroups::of_task.
inline int task_of_group(int group, int tasks) { return ((group + 1) * tasks - 1) / kKeyGroups; }

}  // namespace weir
