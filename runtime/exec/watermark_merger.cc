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
  if (!any) {  // all ended or idle: what the ended ones promised holds, as far as no idle one lags behind it
    for (const Input& i : inputs_)
      if (i.ended) least = std::min(least, i.watermark), any = true;
    for (const Input& i : inputs_)
      if (!i.ended) any = false;
  }
  if (!any || least <= merged_) return std::nullopt;
  merged_ = least;
  return merged_;
}

}  // namespace weir
