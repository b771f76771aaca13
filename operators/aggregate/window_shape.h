#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/base/time.h"
#include "runtime/base/time_zone.h"

namespace weir {

/// Windows that are aligned to the epoch plus an offset, and the slices they consist of: each row belongs to one slice, each
/// window to one or several, so that a row is taken once however many windows hold it. Half-open; all in microseconds. Pure.
///
/// With a zone sizes, `every` and `offset` are what the local clock shows: a window of a day has 23 hours when clocks go
/// forward. Windows and slices are called by instants all the same, so that they compare with times of rows and watermarks.
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
  std::shared_ptr<const TimeZone> zone = nullptr;  ///< null: UTC. Else `slice` is whole days
  std::string zone_name{};

  static WindowShape tumbling(Duration size, Duration offset);
  static WindowShape hopping(Duration size, Duration every, Duration offset);
  static WindowShape cumulate(Duration size, Duration every, Duration offset);

  /// For people: `hopping 10m every 1m offset 30s zone Europe/Berlin`.
  std::string text() const;
  /// The end of the slice that holds a time. Times near the ends of what 64 bits hold give one at their end.
  std::int64_t slice_end(std::int64_t time) const;
  std::int64_t slice_start(std::int64_t slice_end) const;
  /// The first and the last window (by its end) that holds the slice.
  std::int64_t first_window_end(std::int64_t slice_end) const;
  std::int64_t last_window_end(std::int64_t slice_end) const;
  std::int64_t window_start(std::int64_t window_end) const;
  /// The first window end >= `time`.
  std::int64_t window_end_from(std::int64_t time) const;

 private:
  std::int64_t instant(std::int64_t local) const;
  std::int64_t local_before(std::int64_t time) const;
  std::int64_t local_from(std::int64_t time) const;
  std::int64_t local_window_end_from(std::int64_t local) const;
};

}  // namespace weir
