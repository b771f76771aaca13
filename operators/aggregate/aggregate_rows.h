#pragma once
#include "operators/aggregate/slot_blocks.h"
#include "runtime/expr/aggregate.h"

namespace weir {

/// Rows of accumulators by slot. A row lies in one piece, so that an update of all calls costs one miss of the cache.
class AggregateRows final : public StateValues {
 public:
  explicit AggregateRows(const AggregateCalls& calls) : calls_(calls), rows_(calls.row_size()) {}
  ~AggregateRows() override {
    if (!calls_.own_memory()) return;
    for (std::uint32_t i = 0; i < rows_.slots(); ++i) calls_.clear(row({i}));
  }

  std::byte* row(StateSlot slot) const { return rows_.at(slot); }

  void reserve(std::uint32_t slots) override { rows_.reserve(slots); }
  void reset(StateSlot slot) override { calls_.clear(row(slot)); }
  bool own_memory() const override { return calls_.own_memory(); }
  std::uint64_t owned_bytes(StateSlot slot) const override { return calls_.owned_bytes(row(slot)); }
  void copy(StateSlot from, StateSlot to) override { calls_.copy(row(to), row(from)); }
  void encode(StateSlot slot, std::string& out) const override { calls_.encode(row(slot), out); }
  void decode(StateSlot slot, std::string_view bytes) override { calls_.decode(row(slot), bytes); }
  [[gnu::always_inline]] void prefetch(StateSlot slot) const override { rows_.prefetch(slot); }

 private:
  const AggregateCalls& calls_;
  SlotMemory rows_;  ///< a row of zeros is one that has seen nothing
};

}  // namespace weir
