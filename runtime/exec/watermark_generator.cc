#include "runtime/exec/watermark_generator.h"

namespace weir {

int WatermarkGenerator::add_split(std::optional<Timestamp> largest) {
  splits_.push_back({largest});
  return static_cast<int>(splits_.size()) - 1;
}

/// Saturates at the ends of time instead of wrapping around.
Timestamp WatermarkGenerator::watermark_of(std::int64_t largest) const {
  std::int64_t w;
  if (__builtin_sub_overflow(largest, options_.max_out_of_orderness.micros, &w)) return Timestamp::none();
  if (const std::int64_t step = options_.step.micros; step > 0) {
    std::int64_t rest = w % step;
    if (rest < 0) rest += step;
    if (__builtin_sub_overflow(w, rest, &w)) return Timestamp::none();
  }
  if (__builtin_sub_overflow(w, std::int64_t{1}, &w)) return Timestamp::none();
  return {w};
}

Timestamp WatermarkGenerator::least_of_others(int split) const {
  Timestamp least = Timestamp::infinity();
  for (std::size_t s = 0; s < splits_.size(); ++s) {
    if (static_cast<int>(s) == split || splits_[s].idle) continue;
    least = std::min(least, splits_[s].largest ? watermark_of(splits_[s].largest->micros) : Timestamp::none());
  }
  return least;
}

void WatermarkGenerator::on_rows(int split, std::span<const std::int64_t> times, std::vector<Cut>& cuts) {
  if (times.empty()) return;
  Split& s = splits_[static_cast<std::size_t>(split)];
  s.idle = false;
  std::int64_t before = s.largest ? s.largest->micros : times[0];
  std::int64_t most = before, least = times[0];
  for (const std::int64_t t : times) most = std::max(most, t), least = std::min(least, t);
  const Timestamp others = least_of_others(split);
  const Timestamp after = std::max(current_, std::min(others, watermark_of(most)));
  if (least <= after.micros) {  // some row may be late: go through them one by one
    bool any = s.largest.has_value();
    Timestamp running = any ? std::max(current_, std::min(others, watermark_of(before))) : current_;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (running > current_ && times[i] <= running.micros) {
        current_ = running;
        cuts.push_back({static_cast<std::int64_t>(i), running});
      }
      if (!any || times[i] > before) {
        before = times[i];
        any = true;
        running = std::max(running, std::min(others, watermark_of(before)));
      }
    }
  }
  s.largest = Timestamp{most};
  if (after > current_) {
    current_ = after;
    cuts.push_back({static_cast<std::int64_t>(times.size()), after});
  }
}

Timestamp WatermarkGenerator::greatest_of_idle() const {
  Timestamp greatest = Timestamp::none();
  for (const Split& s : splits_)
    if (s.idle && !s.ended && s.largest) greatest = std::max(greatest, watermark_of(s.largest->micros));
  return greatest;
}

std::optional<Timestamp> WatermarkGenerator::set_idle(int split) {
  splits_[static_cast<std::size_t>(split)].idle = true;
  return rise();
}

std::optional<Timestamp> WatermarkGenerator::set_ended(int split) {
  splits_[static_cast<std::size_t>(split)].ended = true;
  return set_idle(split);
}

std::optional<Timestamp> WatermarkGenerator::rise() {
  const Timestamp w = all_idle() ? greatest_of_idle() : least_of_others(-1);
  if (w <= current_) return std::nullopt;
  current_ = w;
  return current_;
}

Timestamp WatermarkGenerator::reached() const {
  if (std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.idle && !s.ended; }) && all_idle())
    return std::max(current_, greatest_of_idle());
  const bool ended = all_idle();
  Timestamp least = Timestamp::infinity();
  for (const Split& s : splits_) {
    if (s.idle && (!ended || !s.largest)) continue;
    least = std::min(least, s.largest ? watermark_of(s.largest->micros) : Timestamp::none());
  }
  return least == Timestamp::infinity() ? current_ : std::max(current_, least);
}

bool WatermarkGenerator::all_idle() const {
  return std::all_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.idle; });
}

}  // namespace weir
