#pragma once
#include <vector>

#include "operators/aggregate/aggregate_rows.h"
#include "operators/aggregate/slot_blocks.h"

namespace weir {

/// A session of a key: half-open, and where its accumulators are.
struct Session {
  std::int64_t start, end;
  StateSlot accumulators;
};

/// The sessions of a key by slot, in order of time, with accumulators in rows of their own.
///
/// Slots of accumulators are given out and taken back by the task's thread; those of frozen sessions stay until their slot
/// is reset.
class SessionRows final : public StateValues {
 public:
  explicit SessionRows(const AggregateCalls& calls) : calls_(calls), rows_(calls) {}

  std::vector<Session>& at(StateSlot slot) const { return sessions_.at(slot); }
  std::byte* row(StateSlot accumulators) const { return rows_.row(accumulators); }
  /// Accumulators that have seen nothing.
  StateSlot take();
  void give_back(StateSlot accumulators) { free_.push_back(accumulators); }

  void reserve(std::uint32_t slots) override { sessions_.reserve(slots); }
  void reset(StateSlot slot) override;
  bool own_memory() const override { return true; }
  std::uint64_t owned_bytes(StateSlot slot) const override;
  void copy(StateSlot from, StateSlot to) override;
  [[gnu::always_inline]] void prefetch(StateSlot slot) const override { sessions_.prefetch(slot); }
  void encode(StateSlot slot, std::string& out) const override;
  void decode(StateSlot slot, std::string_view bytes) override;

 private:
  const AggregateCalls& calls_;
  AggregateRows rows_;
  SlotBlocks<std::vector<Session>> sessions_;
  std::vector<StateSlot> free_;
  std::uint32_t slots_ = 0;
};

}  // namespace weir
