#pragma once
#include <optional>
#include <span>
#include <vector>

#include "runtime/checkpoint/folder.h"

namespace weir {

/// What retention looks at.
struct RetainedCheckpoint {
  Epoch epoch;
  bool claim = false;
  std::optional<CheckpointName> origin{};
};

/// Reads it from a checkpoint's manifest. One that cannot be read is taken for a claim of its own origin, so that it pushes
/// nothing out.
RetainedCheckpoint retained_checkpoint(const CheckpointEntry& entry);

/// Decides which committed checkpoints expire, `committed` in rising order.
///
/// When the newest is a claim, only older claims of the same origin expire: a start that fails again and again keeps its
/// history. Otherwise the `retain` newest that are no claims are kept with everything between them; claims do not count, and
/// of several of one origin the newest is kept. The newest checkpoint never expires.
std::vector<Epoch> expired_checkpoints(std::span<const RetainedCheckpoint> committed, int retain);

}  // namespace weir
