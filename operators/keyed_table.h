#pragma once
#include <optional>
#include <string>

#include "runtime/api/operator.h"
#include "runtime/state/state_table.h"
#include "runtime/state/table_declaration.h"

namespace weir {

class KeyedState;

/// A state table of a step's task, held by the operator that works with it, behind its values. It is there from
/// Operator::open on; what barriers, commits, the end and scarce memory ask of it is done by the KeyedState that it belongs
/// to. Belongs to the task's thread.
class KeyedTable {
 public:
  /// The declared table `name`. `slot_bytes`: fixed size of a value. State and values outlive it.
  KeyedTable(KeyedState& state, std::string name, StateValues& values, std::uint64_t slot_bytes);
  ~KeyedTable();
  KeyedTable(const KeyedTable&) = delete;
  KeyedTable& operator=(const KeyedTable&) = delete;

  StateTable& operator*() { return *table_; }
  StateTable* operator->() { return &*table_; }

  /// Prefetches the next rows and their values. Call it before row `row` of a batch is touched, the keys having these
  /// hashes.
  template <typename Values>
  void look_ahead(std::string_view window, std::span<const std::uint64_t> hashes, std::int64_t row, const Values& values) {
    if (const std::optional<StateSlot> soon = table_->look_ahead(window, hashes, static_cast<std::size_t>(row)))
      values.prefetch(*soon);
  }

  /// Keeps the rows within the table's share of the memory for rows, which all tables of all tasks share (StateBudget):
  /// evicts clean rows, and asks for a checkpoint early. For calls that change very many rows; elsewhere it is done behind
  /// the call.
  RoomPlan shrink();

 private:
  friend class KeyedState;
  void open(const TaskContext& task, const TableDeclaration& declaration);
  /// kWait while a delta is in flight; the waker is used when it is committed.
  Progress wait_for_commit();
  /// kWait when only the checkpoint under way makes room.
  Progress make_room();
  void snapshot(Epoch epoch, TaskSnapshot& snapshot);
  void on_committed(Epoch epoch);
  void say_waiting();

  const std::string name_;
  StateValues& values_;
  const std::uint64_t slot_bytes_;
  std::optional<StateTable> table_;
  StateTableId id_;
  Epoch next_epoch_;  ///< at the least: that of the next snapshot
  std::optional<Epoch> in_flight_{};

  std::shared_ptr<StateBudget> budget_;
  AttemptContext* attempt_ = nullptr;
  TaskCounters* counters_ = nullptr;
  std::string step_;
  Waker waker_;
  bool waits_ = false;
  std::uint64_t bytes_ = 0;  ///< as the budget knows it
  StateMemory published_{};  ///< the table's part of the task's counters, and reads of the store
  std::uint64_t reads_ = 0;
  Epoch asked_for_{};   ///< the last checkpoint that was asked for early
  Duration said_at_{};  ///< when the user was last told that rows wait
};

}  // namespace weir
