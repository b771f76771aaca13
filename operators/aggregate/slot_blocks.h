#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <optional>

#include "runtime/base/large_pages.h"
#include "runtime/state/state_values.h"

namespace weir {

/// Zeroed memory for one value of each slot, in blocks that double in size and never move. Of a large block only as much
/// takes up memory as is in use.
class SlotMemory {
 public:
  explicit SlotMemory(std::size_t value_size) : value_size_(std::max<std::size_t>(1, value_size)) {}
  SlotMemory(const SlotMemory&) = delete;
  SlotMemory& operator=(const SlotMemory&) = delete;
  ~SlotMemory() {
    for (std::size_t block = 0; block < blocks_.size(); ++block)
      if (blocks_[block]) free_large_pages(blocks_[block], value_size_ << block);
  }

  std::byte* at(StateSlot slot) const {
    const std::uint32_t place = slot.value + kFirst;
    const std::uint32_t block = block_of(place);
    return blocks_[block] + (place - (std::uint32_t{1} << block)) * value_size_;
  }
  /// Asks for the memory of a value that is needed some rows later. Inline, or GCC drops the call of a function that does
  /// nothing else.
  [[gnu::always_inline]] void prefetch(StateSlot slot) const { __builtin_prefetch(at(slot), 1); }
  /// Makes room for slots 0 to slots-1, and more.
  void reserve(std::uint32_t slots) {
    for (; slots_ < slots; slots_ += std::uint32_t{1} << block_of(slots_ + kFirst)) {
      const std::uint32_t block = block_of(slots_ + kFirst);
      blocks_[block] = static_cast<std::byte*>(allocate_on_large_pages(value_size_ << block));
    }
  }
  std::uint32_t slots() const { return slots_; }

 private:
  static constexpr std::uint32_t kFirst = 64;  ///< slots of the first block; a block's index is the place of its highest bit
  static constexpr std::uint32_t block_of(std::uint32_t place) {
    return static_cast<std::uint32_t>(std::bit_width(place)) - 1;
  }

  const std::size_t value_size_;
  std::array<std::byte*, 32> blocks_{};
  std::uint32_t slots_ = 0;
};

/// One T for each slot, at the same place for life.
template <typename T>
class SlotBlocks {
 public:
  SlotBlocks() = default;
  ~SlotBlocks() {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) std::destroy_at(&at({slot}));
  }

  T& at(StateSlot slot) const { return *reinterpret_cast<T*>(memory_.at(slot)); }
  [[gnu::always_inline]] void prefetch(StateSlot slot) const { memory_.prefetch(slot); }
  void reserve(std::uint32_t slots) {
    memory_.reserve(slots);
    for (; slots_ < slots; ++slots_) std::construct_at(&at({slots_}));
  }

 private:
  SlotMemory memory_{sizeof(T)};
  std::uint32_t slots_ = 0;  ///< those constructed: memory is touched no sooner
};

}  // namespace weir
