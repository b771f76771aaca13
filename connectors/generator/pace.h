#pragma once
#include <cstdint>
#include <optional>

#include "runtime/base/time.h"

namespace weir {

/// Says how many rows are due at a rate. Row i (from 0) is due i/rate seconds after the start; rows that could not be made
/// in time are made up for, up to one second's worth: what is older than that is given up, so that the rate stays a limit
/// after a long standstill. Times are Clock::steady().
class Pace {
 public:
  /// Rows a second, more than 0; none: unlimited.
  explicit Pace(std::optional<double> rate) : rate_(rate) {}

  /// How many of at most `most` rows are due now.
  std::int64_t due(Duration now, std::int64_t most);
  /// Records that rows were made.
  void made(std::int64_t rows) { made_ += rows; }
  /// How long until the next row is due, at least a millisecond. Only when none is.
  Duration until_next(Duration now) const;

 private:
  std::optional<double> rate_;
  std::optional<Duration> start_;
  std::int64_t made_ = 0;  ///< since start_
};

}  // namespace weir
