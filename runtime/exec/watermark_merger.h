#pragma once
#include <optional>
#include <vector>

#include "runtime/base/time.h"

namespace weir {

/// Merges the watermarks of several channels or splits by minimum over those that are neither idle nor ended.
///
/// The merged watermark never falls: an input that returns from idleness does not lower it. When all inputs are idle the
/// merged stream is idle, and the watermark is the greatest of theirs, whichever became idle first; when all have ended it
/// is whatever they sent last. Not thread-safe.
class WatermarkMerger {
 public:
  explicit WatermarkMerger(int inputs) : inputs_(static_cast<std::size_t>(inputs)) {}
  /// Adds an input that knows nothing yet. Returns its number.
  int add_input();
  /// Each returns the merged watermark if it rose.
  std::optional<Timestamp> on_watermark(int input, Timestamp w);
  std::optional<Timestamp> on_idle(int input);
  std::optional<Timestamp> on_end(int input);
  /// The input has rows again: it counts from now on, with the watermark it had.
  void on_active(int input) { inputs_[static_cast<std::size_t>(input)].idle = false; }
  /// True if no input counts: all are idle or ended.
  bool idle() const;
  Timestamp merged() const { return merged_; }
  /// Never falls below `floor` (a restored watermark).
  void set_floor(Timestamp floor) { merged_ = std::max(merged_, floor); }

 private:
  struct Input {
    Timestamp watermark = Timestamp::none();
    bool idle = false;
    bool ended = false;
  };
  std::optional<Timestamp> merge();

  std::vector<Input> inputs_;
  Timestamp merged_ = Timestamp::none();
};

}  // namespace weir
