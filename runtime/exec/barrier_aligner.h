#pragma once
#include <optional>
#include <vector>

#include "runtime/base/ids.h"

namespace weir {

/// Decides when every input channel of a task has delivered the same barrier.
///
/// One epoch is aligned at a time. A channel that has delivered the barrier is held back until the others catch up, so
/// nothing sent after the barrier is seen before the snapshot. (Chandy-Lamport snapshots with aligned barriers, as in
/// Carbone et al., "Lightweight Asynchronous Snapshots for Distributed Dataflows".)
///
/// Invariants: (1) held(c) implies c delivered the epoch in progress;
///             (2) an epoch completes at most once, in rising order.
/// Not thread-safe; owned and called by the task's own thread.
class BarrierAligner {
 public:
  explicit BarrierAligner(int channels)
      : delivered_(static_cast<std::size_t>(channels)), ended_(static_cast<std::size_t>(channels)) {}
  /// True while `channel` must not be read.
  bool held(int channel) const { return delivered_[static_cast<std::size_t>(channel)]; }
  /// True while a barrier was delivered by some channels and not by all.
  bool waiting() const { return in_progress_ != Epoch{}; }
  /// Records a barrier. Returns its epoch if it was the last one missing. A barrier that does not follow the protocol throws
  /// (bug).
  std::optional<Epoch> on_barrier(int channel, Epoch epoch);
  /// Records that `channel` is finished: it counts as aligned from now on, which may complete the epoch.
  std::optional<Epoch> on_end(int channel);

 private:
  std::optional<Epoch> complete();

  std::vector<bool> delivered_;
  std::vector<bool> ended_;
  Epoch in_progress_{};  ///< none between epochs
  Epoch last_{};
};

}  // namespace weir
