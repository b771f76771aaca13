#pragma once
#include <cstdint>

#include "runtime/base/time.h"

namespace weir {

/// Windows that are aligned to the epoch plus an offset, and the slices they consist of: each row belongs to one slice, each window to
/// one or several, so that a row is taken once however many windows hold it. Half-open; all in microseconds. Pure.
struct WindowShape {
  enum class Kind {
    kTumbling,  ///< one slice is one window
    kHopping,   ///< windows of `size`, one every `every`; slices of their greatest common divisor
    kCumulate,  ///< windows that begin every `size` and end every `every` after; slices of `every`
  };
  Kind kind = Kind::kTumbling;
  std::int64_t size = 0;
  std::int64_t every = 0;
  std::int64_t offset = 0;
  std::int64_t slice = 0;

  static WindowShape tumbling(Duration size, Duration offset);
  static WindowShape hopping(Duration size, Duration every, Duration offset);
  static WindowShape cumulate(Duration size, Duration every, Duration offset);

  /// The end of the slice that holds a time. Times near the ends of what 64 bits hold give one at their end.
  std::int64_t slice_end(std::int64_t time) const;
  /// The first and the last window (by its end) that holds the slice.
  std::int64_t first_window_end(std::int64_t slice_end) const;
  std::int64_t last_window_end(std::int64_t slice_end) const;
  std::int64_t window_start(std::int64_t window_end) const;
  /// The first window end >= `time`.
  std::int64_t window_end_from(std::int64_t time) const;
};

}  // namespace weir
