#pragma once
#include <optional>
#include <string>

#include "runtime/api/operator.h"
#include "runtime/state/row_sets.h"
#include "runtime/state/state_table.h"
#include "runtime/state/table_declaration.h"

namespace weir {

class KeyedState;

/// What a KeyedState asks of each of its tables.
class KeptTable {
 public:
  virtual ~KeptTable() = default;
  virtual const std::string& name() const = 0;
  /// The first `parts` fields of the declared key are what rows are known by.
  virtual void open(const TaskContext& task, const TableDeclaration& declaration, std::size_t parts) = 0;
  /// kWait while a delta is in flight; the waker is used when it is committed.
  virtual Progress wait_for_commit() = 0;
  /// kWait when only the checkpoint under way makes room.
  virtual Progress make_room() = 0;
  virtual void snapshot(Epoch epoch, TaskSnapshot& snapshot) = 0;
  virtual void on_committed(Epoch epoch) = 0;
};

/// A state table of a step's task, held by the operator that works with it, behind its values. It is there from
/// Operator::open on; what barriers, commits, the end and scarce memory ask of it is done by the KeyedState that it belongs
/// to. Belongs to the task's thread.
template <typename Table>
class BasicKeyedTable final : private KeptTable {
 public:
  /// The declared table `name`. `slot_bytes`: fixed size of a value. State and values outlive it.
  BasicKeyedTable(KeyedState& state, std::string name, StateValues& values, std::uint64_t slot_bytes);
  ~BasicKeyedTable() override;
  BasicKeyedTable(const BasicKeyedTable&) = delete;
  BasicKeyedTable& operator=(const BasicKeyedTable&) = delete;

  Table& operator*() { return *table_; }
  Table* operator->() { return &*table_; }

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
  const std::string& name() const override { return name_; }
  void open(const TaskContext& task, const TableDeclaration& declaration, std::size_t parts) override;
  Progress wait_for_commit() override;
  Progress make_room() override;
  void snapshot(Epoch epoch, TaskSnapshot& snapshot) override;
  void on_committed(Epoch epoch) override;
  void say_waiting();

  const std::string name_;
  StateValues& values_;
  const std::uint64_t slot_bytes_;
  std::optional<Table> table_;
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

/// A value for each key.
using KeyedTable = BasicKeyedTable<StateTable>;
/// Rows under each key, ordered by what their table's key has behind it.
using KeyedRowSets = BasicKeyedTable<RowSets>;

extern template class BasicKeyedTable<StateTable>;
extern template class BasicKeyedTable<RowSets>;

}  // namespace weir
