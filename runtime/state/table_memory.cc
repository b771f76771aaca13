#include "runtime/state/table_memory.h"

#include <algorithm>
#include <utility>

namespace weir {

void TableMemory::given_back(StateSlot slot) {
  if (!own_memory_) return;
  values_.reset(slot);
  owned_ -= std::exchange(owned_of_[slot.value], 0);
}

void TableMemory::measure_value(StateSlot slot) {
  const std::uint64_t now = values_.owned_bytes(slot);
  owned_ += now - std::exchange(owned_of_[slot.value], now);
}

void TableMemory::measure() {
  constexpr std::size_t kSampleBytes = 4096;  // a call, on average
  sample_credit_ += kSampleBytes;
  if (touched_ && sample_credit_ > sample_.size()) sample();
  for (const StateSlot slot : unmeasured_) measure_value(slot);
  unmeasured_.clear();
}

void TableMemory::sample() {
  const StateSlot slot = *std::exchange(touched_, std::nullopt);
  sample_credit_ = 0;
  sample_.clear();
  values_.encode(slot, sample_);
  const auto average = [](double& of, double now) { of = of == 0 ? now : of + (now - of) / 32; };
  average(encoded_bytes_, static_cast<double>(sample_.size()));
  if (own_memory_) average(sampled_owned_, static_cast<double>(values_.owned_bytes(slot)));
}

std::uint64_t TableMemory::encoded_bytes(std::size_t slots_used) const {
  if (!own_memory_ || sampled_owned_ == 0 || slots_used == 0) return static_cast<std::uint64_t>(encoded_bytes_);
  const double owned = static_cast<double>(owned_) / static_cast<double>(slots_used);
  return static_cast<std::uint64_t>(encoded_bytes_ * std::max(1.0, owned / sampled_owned_));
}

}  // namespace weir
