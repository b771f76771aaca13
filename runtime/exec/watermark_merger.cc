#include "runtime/exec/watermark_merger.h"

namespace weir {

int WatermarkMerger::add_input() {
  inputs_.emplace_back();
  return static_cast<int>(inputs_.size()) - 1;
}

std::optional<Timestamp> WatermarkMerger::on_watermark(int input, Timestamp w) {
  Input& i = inputs_[static_cast<std::size_t>(input)];
  i.watermark = std::max(i.watermark, w);
  i.idle = false;
  return merge();
}

std::optional<Timestamp> WatermarkMerger::on_idle(int input) {
  inputs_[static_cast<std::size_t>(input)].idle = true;
  return merge();
}

std::optional<Timestamp> WatermarkMerger::on_end(int input) {
  inputs_[static_cast<std::size_t>(input)].ended = true;
  return merge();
}

bool WatermarkMerger::idle() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.idle || i.ended; });
}

std::optional<Timestamp> WatermarkMerger::merge() {
  bool any = false;
  Timestamp least = Timestamp::infinity();
  for (const Input& i : inputs_) {
    if (i.idle || i.ended) continue;
    any = true;
    least = std::min(least, i.watermark);
  }
  if (!any) {
    const bool all_ended = std::all_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.ended; });
    Timestamp greatest = Timestamp::none();
    for (const Input& i : inputs_) {
      if (all_ended) least = std::min(least, i.watermark);
      else if (!i.ended) greatest = std::max(greatest, i.watermark);
    }
    if (!all_ended) least = greatest;
  }
  if (inputs_.empty() || least <= merged_) return std::nullopt;
  merged_ = least;
  return merged_;
}

}  // namespace weir
