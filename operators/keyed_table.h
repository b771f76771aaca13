#pragma once
#include <optional>
#include <string>

#include "runtime/api/operator.h"
#include "runtime/state/state_table.h"

namespace weir {

/// A state table of an operator and what happens to it at barriers: frozen in a snapshot, clean when its checkpoint is
/// committed.
class KeyedTable {
 public:
  KeyedTable() = default;
  ~KeyedTable();
  /// The declared table `name` of the task's step, with its values; `window_size` as in StateTableOptions.
  void open(const TaskContext& task, const std::string& name, std::size_t window_size, StateValues& values);
  StateTable& operator*() { return *table_; }
  StateTable* operator->() { return &*table_; }

  /// Call it before row `row` of a batch is touched, the keys having these hashes: the next ones, with their values, are
  /// asked from memory.
  template <typename Values>
  void look_ahead(std::string_view window, std::span<const std::uint64_t> hashes, std::int64_t row, const Values& values) {
    if (const std::optional<StateSlot> soon = table_->look_ahead(window, hashes, static_cast<std::size_t>(row)))
      values.prefetch(*soon);
  }

  /// The last input ended: answers kWait while a delta is in flight, since the final one must wait for it. Also goes on with
  /// what make_room() answered.
  Progress on_end();
  /// The table's part of Operator::on_barrier.
  void on_barrier(Epoch epoch) { epoch_ = epoch; }
  void snapshot(TaskSnapshot& snapshot);
  void on_committed(Epoch epoch);
  /// Keeps the rows within the table's share of the memory for rows, which all tables of all tasks share (StateBudget).
  /// Forgets clean rows, asks for a checkpoint early, and answers kWait when only the one under way makes room.
  /// `slot_bytes`: fixed size of a value. Call it at the end of process().
  Progress make_room(std::uint64_t slot_bytes);
  /// The same without waiting, for calls during which no barrier can come.
  RoomPlan shrink(std::uint64_t slot_bytes);

 private:
  std::optional<StateTable> table_;
  StateTableId id_;
  Epoch epoch_;  ///< of the next snapshot
  std::optional<Epoch> in_flight_{};
  void say_waiting();

  std::shared_ptr<StateBudget> budget_;
  AttemptContext* attempt_ = nullptr;
  TaskCounters* counters_ = nullptr;
  std::string name_;
  Waker waker_;
  bool waits_ = false;
  std::uint64_t bytes_ = 0;  ///< as the budget knows it
  StateMemory published_{};  ///< the table's part of the task's counters, and reads of the store
  std::uint64_t reads_ = 0;
  Epoch asked_for_{};   ///< the last checkpoint that was asked for early
  Duration said_at_{};  ///< when the user was last told that rows wait
};

}  // namespace weir
