#pragma once
#include <optional>
#include <string>

#include "runtime/api/operator.h"
#include "runtime/state/state_table.h"

namespace weir {

/// A state table of an operator and what happens to it at barriers: frozen in a snapshot, clean when its checkpoint is committed.
class KeyedTable {
 public:
  /// The declared table `name` of the task's step, with its values; `window_size` as in StateTableOptions.
  void open(const TaskContext& task, const std::string& name, std::size_t window_size, StateValues& values);
  StateTable& operator*() { return *table_; }
  StateTable* operator->() { return &*table_; }

  /// The last input ended: answers kWait while a delta is in flight, since the final one must wait for it.
  Progress on_end();
  /// The table's part of Operator::on_barrier.
  void on_barrier(Epoch epoch) { epoch_ = epoch; }
  void snapshot(TaskSnapshot& snapshot);
  void on_committed(Epoch epoch);
  /// Forgets clean rows when there are more than the table's share of the job's memory holds: half of it is dealt out among all tables of
  /// all tasks. `value_bytes`: memory of one value. Call it between batches.
  void trim(std::size_t value_bytes);

 private:
  std::optional<StateTable> table_;
  StateTableId id_;
  Epoch epoch_;                    ///< of the next snapshot
  std::optional<Epoch> in_flight_{};
  Waker waker_;
  bool waits_ = false;
  std::uint64_t share_ = 0;
  int until_trim_ = 0;  ///< calls of trim that do nothing
};

}  // namespace weir
