#include "runtime/exec/barrier_aligner.h"

#include "runtime/base/error.h"

namespace weir {

std::optional<Epoch> BarrierAligner::on_barrier(int channel, Epoch epoch) {
  const auto c = static_cast<std::size_t>(channel);
  if (delivered_[c] || ended_[c] || epoch <= last_ || (in_progress_.value && epoch != in_progress_))
    throw Error(Blame::kBug, fmt::format("barrier {} on channel {} out of order; in progress {}, last {}", epoch.value,
                                         channel, in_progress_.value, last_.value));
  in_progress_ = epoch;
  delivered_[c] = true;
  return complete();
}

std::optional<Epoch> BarrierAligner::on_end(int channel) {
  ended_[static_cast<std::size_t>(channel)] = true;
  return in_progress_.value ? complete() : std::nullopt;
}

std::optional<Epoch> BarrierAligner::complete() {
  for (std::size_t i = 0; i < delivered_.size(); ++i)
    if (!delivered_[i] && !ended_[i]) return std::nullopt;
  delivered_.assign(delivered_.size(), false);
  last_ = std::exchange(in_progress_, Epoch{});
  return last_;
}

}  // namespace weir
