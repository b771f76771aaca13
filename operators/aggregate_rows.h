#pragma once
#include <array>
#include <bit>
#include <memory>

#include "runtime/expr/aggregate.h"
#include "runtime/state/state_values.h"

namespace weir {

/// Rows of accumulators by slot. A row lies in one piece, so that an update of all calls costs one miss of the cache, in blocks that
/// double in size and never move.
class AggregateRows final : public StateValues {
 public:
  explicit AggregateRows(const AggregateCalls& calls) : calls_(calls), row_size_(calls.row_size()) {}
  ~AggregateRows() override;

  std::byte* row(StateSlot slot) const {
    const std::uint32_t place = slot.value + kFirst;
    const int block = std::bit_width(place) - 1;
    return blocks_[static_cast<std::size_t>(block)].get() + (place - (std::uint32_t{1} << block)) * row_size_;
  }

  void reserve(std::uint32_t slots) override;
  void reset(StateSlot slot) override { calls_.clear(row(slot)); }
  void copy(StateSlot from, StateSlot to) override { calls_.copy(row(to), row(from)); }
  void encode(StateSlot slot, std::string& out) const override { calls_.encode(row(slot), out); }
  void decode(StateSlot slot, std::string_view bytes) override { calls_.decode(row(slot), bytes); }
  std::uint64_t bytes() const { return std::uint64_t{slots_} * row_size_; }

 private:
  static constexpr std::uint32_t kFirst = 64;  ///< slots of the first block; the index of a block is the place of its highest bit
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  const AggregateCalls& calls_;
  const std::size_t row_size_;
  std::array<std::unique_ptr<std::byte[], Free>, 32> blocks_;
  std::uint32_t slots_ = 0;
};

}  // namespace weir
