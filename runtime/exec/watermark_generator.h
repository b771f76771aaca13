#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/time.h"

namespace weir {

/// How watermarks are made from event times. All in microseconds of event time.
struct WatermarkOptions {
  Duration max_out_of_orderness{};
  /// The watermark moves in steps of this; zero: with every row.
  Duration step{};
};

/// Makes the watermark of a source task from the event times of its splits, and says where batches must be cut.
///
/// Per split W = floor((largest - max_out_of_orderness) / step) x step - 1 us; merged by minimum over the splits that are
/// not idle, and by maximum where all are: then none holds back another, whichever became idle first. Never falls. A row is
/// compared with the watermark made by the rows before it: before a row whose time is at or behind that watermark, if it
/// moved since the last cut, the batch ends. Other rows can never be late, and what they belong to has not fired, so results
/// do not depend on the size of batches. Pure; not thread-safe.
class WatermarkGenerator {
 public:
  explicit WatermarkGenerator(WatermarkOptions options) : options_(options) {}

  /// Adds a split; `largest`: the largest time seen before a restore. Returns its number.
  int add_split(std::optional<Timestamp> largest);
  std::optional<Timestamp> largest(int split) const { return splits_[static_cast<std::size_t>(split)].largest; }

  /// What the times seen of one split make of the watermark; Timestamp::none() if there were none.
  Timestamp watermark_of_split(int split) const {
    const std::optional<Timestamp> seen = largest(split);
    return seen ? watermark_of(seen->micros) : Timestamp::none();
  }

  /// A place in a batch: rows before `row` go out, then the watermark.
  struct Cut {
    std::int64_t row;
    Timestamp watermark;
  };
  /// Takes the times of the rows of one batch of a split, in order, and appends where to cut: inside the batch before such
  /// rows, and at its end (row = number of rows) if the watermark moved.
  void on_rows(int split, std::span<const std::int64_t> times, std::vector<Cut>& cuts);

  /// The split has nothing to read and does not hold back the watermark until it has rows again. Returns the watermark if it
  /// moved.
  std::optional<Timestamp> set_idle(int split);
  /// The split has nothing ever again.
  std::optional<Timestamp> set_ended(int split);
  bool is_idle(int split) const { return splits_[static_cast<std::size_t>(split)].idle; }
  bool all_idle() const;
  /// The watermark last handed out.
  Timestamp current() const { return current_; }
  /// The watermark that the times seen so far make, those before a restore too, for people: at least the one last handed
  /// out. When all splits have ended they all count.
  Timestamp reached() const;

 private:
  struct Split {
    std::optional<Timestamp> largest;
    bool idle = false;  ///< or ended
    bool ended = false;
  };
  Timestamp watermark_of(std::int64_t largest) const;
  std::optional<Timestamp> rise();
  Timestamp least_of_others(int split) const;
  Timestamp greatest_of_idle() const;

  WatermarkOptions options_;
  std::vector<Split> splits_;
  Timestamp current_ = Timestamp::none();
};

}  // namespace weir
