#pragma once
#include "runtime/state/row_codec.h"

namespace weir {

/// The task that owns a group when `tasks` share them: the inverse of KeyGroups::of_task.
inline int task_of_group(int group, int tasks) { return ((group + 1) * tasks - 1) / kKeyGroups; }

}  // namespace weir
