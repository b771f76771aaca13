#pragma once
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "operators/aggregate/slot_blocks.h"
#include "operators/aggregate/window_shape.h"
#include "operators/keyed_state.h"

namespace weir {

/// When to look at a key next.
struct SessionTimer {
  std::int64_t due;
  std::string key;
  bool operator>(const SessionTimer& o) const { return due != o.due ? due > o.due : key > o.key; }
};

/// The timers of a session step, kept like its state: a table by piece of time and key. A piece is dropped whole when the
/// watermark has passed it, so that forgetting costs nothing for each timer. Of the piece in which the watermark stands the
/// first timers are in memory in order of time, at most a sixteenth of the job's memory; when they are taken the next ones
/// are looked for. So neither opening nor memory depends on how many timers there are.
///
/// A timer may be there for nothing: whoever takes it looks whether the key's sessions are over.
class SessionTimers {
 public:
  /// `gap` of the sessions, in microseconds: a piece is a sixteenth of it, at most a minute but for very long gaps.
  SessionTimers(std::int64_t gap, KeyedState& state);

  void open(const TaskContext& task);
  RoomPlan shrink() { return table_.shrink(); }
  /// Look at `key` when the watermark reaches `due`, which is later than it is now. A key has one timer a piece: the
  /// earliest.
  void add(std::int64_t due, std::string_view key);
  /// Takes the next due timers that the watermark has reached, some thousands at a time, each key once. They are the last
  /// word on sessions that end by the time returned; later ones follow with the next call. Nothing when none is due any
  /// more.
  std::optional<std::int64_t> take(std::int64_t watermark, std::vector<SessionTimer>& due);

 private:
  /// The due time of a timer.
  class Times final : public StateValues {
   public:
    std::int64_t& at(StateSlot slot) const { return times_.at(slot); }
    void reserve(std::uint32_t slots) override { times_.reserve(slots); }
    void reset(StateSlot slot) override { at(slot) = 0; }
    bool own_memory() const override { return false; }
    std::uint64_t owned_bytes(StateSlot) const override { return 0; }
    void copy(StateSlot from, StateSlot to) override { at(to) = at(from); }
    [[gnu::always_inline]] void prefetch(StateSlot slot) const override { times_.prefetch(slot); }
    void encode(StateSlot slot, std::string& out) const override;
    void decode(StateSlot slot, std::string_view bytes) override;

   private:
    SlotBlocks<std::int64_t> times_;
  };
  void load_next();

  const WindowShape pieces_of_time_;
  Times times_;
  KeyedTable table_;
  std::size_t most_ = 0;                  ///< timers that are in order_ after a load, but for those that are due together
  std::optional<std::int64_t> loaded_{};  ///< the piece whose timers are in order_
  std::int64_t taken_until_ = 0;          ///< timers of it that were due until then were taken
  std::int64_t known_until_ = 0;          ///< those that are due behind that and until then are in order_
  std::priority_queue<SessionTimer, std::vector<SessionTimer>, std::greater<>> order_;
  std::int64_t named_ = 0;  ///< the piece whose name name_ is
  std::string name_;
};

}  // namespace weir
