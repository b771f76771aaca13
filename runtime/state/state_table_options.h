#pragma once
#include <cstddef>
#include <vector>

#include "runtime/data/type.h"
#include "runtime/state/key_group.h"
#include "runtime/state/state_store.h"

namespace weir {

/// How a state table is laid out on the disk: its keys are `<window><key group><key>`.
struct StateTableOptions {
  StateTableId table;
  std::size_t window_size = 0;     ///< bytes of a window's name, the same for all; 0: one window, without a name
  KeyGroups groups;                ///< of the task that owns the table
  std::vector<Type> set_key = {};  ///< of row sets: the values that the keys of a set begin with (runtime/data/key_codec.h)
};

}  // namespace weir
