#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// Where the value of a row lies: an index into an operator's columns.
struct StateSlot {
  std::uint32_t value = 0;
  auto operator<=>(const StateSlot&) const = default;
};

/// The decoded values of a state table, kept by the operator that updates them column-wise: accumulators, a flag, a row.
///
/// Called by the task's thread, with one exception: encode() of rows in flight runs on another thread at the same time as
/// all other calls for other slots. So values lie in blocks that do not move when there are more of them.
class StateValues {
 public:
  virtual ~StateValues() = default;
  /// Makes room for slots 0 to slots-1.
  virtual void reserve(std::uint32_t slots) = 0;
  /// Gives a slot the value that a row begins with; what the old one held is free.
  virtual void reset(StateSlot slot) = 0;
  /// True if values hold something besides their slot, so that slots that are not needed should be reset.
  virtual bool own_memory() const = 0;
  /// What a value holds besides its slot, about. Only asked where own_memory().
  virtual std::uint64_t owned_bytes(StateSlot slot) const = 0;
  virtual void copy(StateSlot from, StateSlot to) = 0;
  /// Asks for the memory of a value that is soon needed.
  virtual void prefetch(StateSlot slot) const = 0;
  /// Appends the value as it is kept on the disk.
  virtual void encode(StateSlot slot, std::string& out) const = 0;
  /// Reads what encode wrote. Throws Error(kRefused) if it is something else.
  virtual void decode(StateSlot slot, std::string_view bytes) = 0;
};

}  // namespace weir
