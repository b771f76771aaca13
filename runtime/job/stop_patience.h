#pragma once
#include <algorithm>
#include <cstdint>

#include "runtime/base/time.h"

namespace weir {

/// For how long nothing has moved since a stop was asked for.
///
/// While the process itself stood still (suspended, say) nothing could move: between two looks a second counts at most.
class StopPatience {
 public:
  explicit StopPatience(Duration now) : looked_at_(now) {}

  /// `moved` counts what all steps did; `waits`: rows before the last barrier are under way. Returns how long they have
  /// stood still.
  Duration look(Duration now, std::uint64_t moved, bool waits) {
    const bool stands = moved == moved_ && waits;
    stood_still_ = stands ? stood_still_ + std::min(now - looked_at_, Duration::seconds(1)) : Duration{};
    moved_ = moved;
    looked_at_ = now;
    return stood_still_;
  }

 private:
  Duration looked_at_, stood_still_{};
  std::uint64_t moved_ = 0;
};

}  // namespace weir
