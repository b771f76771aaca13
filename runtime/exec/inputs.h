#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/exec/chain.h"
#include "runtime/exec/event_time_stage.h"
#include "runtime/exec/task.h"
#include "runtime/exec/watermark_alignment.h"
#include "runtime/graph/graph.h"

namespace weir {

/// A downstream task's input: the gate's merged stream into the first node.
class GateInput final : public TaskInput {
 public:
  /// `before_barrier` is called before a barrier is handed on: what was posted to the task before the barrier was triggered
  /// must be done.
  GateInput(InputGate gate, ChainNode& first, std::function<void()> before_barrier)
      : gate_(std::move(gate)), first_(first), before_barrier_(std::move(before_barrier)) {}
  InputStatus poll_next() override;

 private:
  InputGate gate_;
  ChainNode& first_;
  std::function<void()> before_barrier_;
};

/// A source task's input: polls the reader, gives rows their event time, hands rows and watermarks to port 0 and bad rows to
/// port 1, and puts barriers between. All calls on the task's thread.
class SourceInput final : public TaskInput, private SourceOutput {
 public:
  SourceInput(const Vertex& source, AttemptContext& attempt, TaskCounters& counters, ChainListener& listener);

  Ports& ports() { return ports_; }
  void open(const TaskContext& context);
  /// Keeps to an alignment with other tasks, which outlives this. Before anything runs; only with event time.
  void align(WatermarkAlignment& alignment, Waker wake) { aligned_.push_back({&alignment, alignment.add(std::move(wake))}); }

  InputStatus poll_next() override;
  void add_splits(std::vector<SplitState> splits);
  void no_more_splits() { reader_->no_more_splits(); }
  /// Snapshots the positions and sends barrier `epoch`. With `last` nothing is read any more after it.
  void trigger(Epoch epoch, bool last);
  void on_committed(Epoch epoch);
  /// Changes when rows were handed on or a position moved. Any thread.
  std::uint64_t moves() const { return moves_.get(); }

 private:
  void emit(const SplitState& split, BatchPtr batch) override;
  void emit_errors(BatchPtr batch) override;
  void caught_up(const SplitState& split) override;
  bool wants(const SplitState& split) override;
  std::optional<Timestamp> largest_time(const SplitState& split) const override;
  InputStatus poll_reader();
  bool must_wait(Timestamp position) const;
  void tell_position();
  bool check_idle();
  void set_alarm();
  void fill(TaskSnapshot& snapshot) const;
  bool moved_without_rows();

  /// An alignment, and the task's number in it.
  struct Aligned {
    WatermarkAlignment* alignment;
    int member;
  };
  std::unique_ptr<SourceReader> reader_;
  std::vector<Aligned> aligned_;
  std::optional<Timestamp> position_{};  ///< as the alignments know it
  std::optional<Timestamp> limit_{};     ///< of the splits, in this poll
  std::optional<Timestamp> held_{};      ///< where the first split stands that is beyond it
  Ports ports_;
  std::optional<EventTimeStage> event_time_;
  std::function<void(Duration)> wake_after_;
  std::optional<Duration> alarm_at_;  ///< the steady time at which wake_after_ wakes the task next
  TaskCounters& counters_;
  ChainListener& listener_;
  Counter moves_;
  std::vector<SplitState> seen_;  ///< positions at the last barrier, or when the reader last moved without rows
  bool emitted_ = false;          ///< since moves_ was counted
  AttemptContext& attempt_;
  bool stopped_ = false;
  bool ended_ = false;
  bool idle_sent_ = false;
  std::vector<std::pair<Epoch, std::vector<SplitState>>> uncommitted_;
};

}  // namespace weir
