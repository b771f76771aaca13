#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "runtime/state/state_values.h"

namespace weir {

/// One T for each slot, in blocks that double in size and never move. Of a large block only as much is touched as is in use.
template <typename T>
class SlotBlocks {
 public:
  SlotBlocks() = default;
  SlotBlocks(const SlotBlocks&) = delete;
  SlotBlocks& operator=(const SlotBlocks&) = delete;
  ~SlotBlocks() {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) std::destroy_at(&at({slot}));
    for (T* block : blocks_) ::operator delete(block);
  }

  T& at(StateSlot slot) const {
    const std::uint32_t place = slot.value + kFirst;
    const std::uint32_t block = block_of(place);
    return blocks_[block][place - (std::uint32_t{1} << block)];
  }
  void reserve(std::uint32_t slots) {
    for (; slots_ < slots; ++slots_) {
      T*& block = blocks_[block_of(slots_ + kFirst)];
      if (!block) block = static_cast<T*>(::operator new(sizeof(T) << block_of(slots_ + kFirst)));
      std::construct_at(&at({slots_}));
    }
  }

 private:
  static constexpr std::uint32_t kFirst = 64;  ///< slots of the first block; a block's index is the place of its highest bit
  static constexpr std::uint32_t block_of(std::uint32_t place) { return static_cast<std::uint32_t>(std::bit_width(place)) - 1; }

  std::array<T*, 32> blocks_{};
  std::uint32_t slots_ = 0;
};

}  // namespace weir
