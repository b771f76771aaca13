#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/state/state_budget.h"
#include "runtime/state/state_values.h"

namespace weir {

/// Knows what the rows of a state table cost: from what is known of each, and from samples of what is not.
///
/// What a value holds besides its slot is measured for each row that was touched, once a batch. How large values are on the
/// disk is known from some that were touched: one at a call of measure(), large ones less often, and for values of any size
/// as a multiple of what they hold, so that values which grew since are not thought to be small. Not thread-safe.
class TableMemory {
 public:
  explicit TableMemory(StateValues& values) : values_(values), own_memory_(values.own_memory()) {}

  /// There are so many slots now.
  void reserve(std::uint32_t slots) {
    if (own_memory_) owned_of_.resize(slots);
  }
  /// A row came into memory.
  void add_key(std::size_t bytes) {
    ++keys_;
    key_bytes_ += bytes;
  }
  /// A value was read from the store.
  void loaded(StateSlot slot) {
    if (own_memory_) measure_value(slot);
  }
  /// A value is about to be changed.
  void touched(StateSlot slot) {
    touched_ = slot;
    if (own_memory_) unmeasured_.push_back(slot);
  }
  /// A slot is no longer in use; resets its value.
  void given_back(StateSlot slot);
  /// Looks at what was touched since the last call.
  void measure();

  /// The average bytes of a key, and of what a value holds besides its slot.
  std::uint64_t key_bytes() const { return keys_ ? key_bytes_ / keys_ : 0; }
  std::uint64_t owned_bytes(std::size_t slots_used) const {
    return slots_used > 0 ? owned_ / slots_used + (own_memory_ ? sizeof owned_ : 0) : 0;
  }
  /// What a value takes in a delta, on average.
  std::uint64_t encoded_bytes(std::size_t slots_used) const;

 private:
  void measure_value(StateSlot slot);
  void sample();

  StateValues& values_;
  const bool own_memory_;
  std::uint64_t keys_ = 0, key_bytes_ = 0;
  std::vector<std::uint64_t> owned_of_;  ///< by slot, if own_memory_: what the value held when it was measured last
  std::uint64_t owned_ = 0;              ///< their sum
  std::vector<StateSlot> unmeasured_;    ///< touched since
  std::optional<StateSlot> touched_{};   ///< the last one since the last sample
  std::string sample_;                   ///< the value that was encoded last
  std::size_t sample_credit_ = 0;        ///< bytes that may be encoded for samples
  double encoded_bytes_ = 0;             ///< of a value on the disk, a moving average
  double sampled_owned_ = 0;             ///< what those values held, the same
};

}  // namespace weir
