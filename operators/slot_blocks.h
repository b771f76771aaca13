#pragma once
#include <array>
#include <bit>
#include <memory>

#include "runtime/state/state_values.h"

namespace weir {

/// One T for each slot, in blocks that double in size and never move.
template <typename T>
class SlotBlocks {
 public:
  T& at(StateSlot slot) const {
    const std::uint32_t place = slot.value + kFirst;
    const int block = std::bit_width(place) - 1;
    return blocks_[static_cast<std::size_t>(block)][place - (std::uint32_t{1} << block)];
  }
  void reserve(std::uint32_t slots) {
    while (slots_ < slots) {
      const int block = std::bit_width(slots_ + kFirst) - 1;
      blocks_[static_cast<std::size_t>(block)] = std::make_unique<T[]>(std::size_t{1} << block);
      slots_ += std::uint32_t{1} << block;
    }
  }
  std::uint32_t slots() const { return slots_; }

 private:
  static constexpr std::uint32_t kFirst = 64;  ///< slots of the first block; a block's index is the place of its highest bit
  std::array<std::unique_ptr<T[]>, 32> blocks_;
  std::uint32_t slots_ = 0;
};

}  // namespace weir
