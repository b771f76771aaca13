#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/data/record_batch.h"

namespace weir {

/// Keys are dealt out by group; the number is part of the checkpoint format.
inline constexpr int kKeyGroups = 128;

/// The key group of each row: the fixed hash of the key columns modulo kKeyGroups.
void key_groups(const RecordBatch& batch, std::span<const int> columns, std::vector<std::uint8_t>& groups);

/// The task that owns a group when `tasks` share them: contiguous ranges, as even as possible.
inline int task_of_group(int group, int tasks) { return group * tasks / kKeyGroups; }

}  // namespace weir
