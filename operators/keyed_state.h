#pragma once
#include <vector>

#include "operators/keyed_table.h"
#include "operators/step_watermark.h"

namespace weir {

/// What one task of a keyed step keeps over restarts: its tables and the step's watermark. Given to the operator that works
/// with them; keyed_step() does around that operator what is asked of them. Belongs to the task's thread.
class KeyedState {
 public:
  /// The step's declared tables, which outlive this; the first `parts` fields of their keys are what rows are known by.
  KeyedState(const std::vector<TableDeclaration>& declared, std::size_t parts) : declared_(declared), parts_(parts) {}
  KeyedState(const KeyedState&) = delete;
  KeyedState& operator=(const KeyedState&) = delete;

  /// A table says that it is there, from its constructor.
  void add(KeptTable& table) { tables_.push_back(&table); }
  /// The step's watermark over restores; the operator raises it. One that is never raised is not kept.
  StepWatermark& watermark() { return watermark_; }

  // For what runs around the operator.
  /// Opens the tables. Throws Error(kBug) unless they are those that the step declares.
  void open(const TaskContext& task);
  /// kWait while a delta is in flight, until it is committed.
  Progress wait_for_commit();
  /// Keeps the rows within their memory; kWait when only the checkpoint under way makes room, until it is committed.
  Progress make_room();
  void on_barrier(Epoch epoch) { epoch_ = epoch; }
  void snapshot(TaskSnapshot& snapshot);
  void on_committed(Epoch epoch);

 private:
  const std::vector<TableDeclaration>& declared_;
  const std::size_t parts_;
  std::vector<KeptTable*> tables_;
  StepWatermark watermark_;
  Epoch epoch_;  ///< of the next snapshot
  const TaskContext* task_ = nullptr;
};

}  // namespace weir
