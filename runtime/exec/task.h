#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/api/source.h"
#include "runtime/exec/chain.h"
#include "runtime/exec/input_gate.h"
#include "runtime/metrics/counters.h"

namespace weir {

/// What a task reports to whoever runs it. Called on the task's thread; must not block.
class TaskListener {
 public:
  virtual ~TaskListener() = default;
  /// All nodes of the task passed barrier `epoch`.
  virtual void on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) = 0;
  /// All nodes of the task passed the end of their input. The snapshot belongs to the epoch after the last barrier.
  virtual void on_finished(int task, TaskSnapshot snapshot) = 0;
};

/// What the task does next, as seen by the scheduler.
enum class StepResult {
  kAgain,     ///< The time slice is over: step it again after others had their turn.
  kPark,      ///< Nothing to do until wake().
  kFinished,  ///< Never again, but for mail.
};

/// Where a task's elements come from: an input gate, or a source reader with the splits it owns.
class TaskInput {
 public:
  virtual ~TaskInput() = default;
  /// Hands at most one batch (and what belongs to it) to the first nodes of the chain.
  virtual InputStatus poll_next() = 0;
};

/// One task: an input and the chain of operators behind it. Stepped by one thread at a time; never blocks.
///
/// The loop: take mail; settle what the chain and the outputs still hold, and stop here while they refuse (backpressure);
/// poll the input; go on within the time slice; park when nothing is there.
class Task final : public ChainListener {
 public:
  /// `clock` tells how long a time slice lasts, and where the time goes.
  Task(int id, std::string name, TaskListener& listener, const Clock& clock)
      : id_(id), name_(std::move(name)), listener_(listener), clock_(clock) {}

  // Building, before the first step. Nodes are given from the input towards the sinks.
  ChainNode& add_node(std::unique_ptr<Operator> op, std::size_t ports, TaskCounters& counters);
  ChannelTarget& add_channels(Exchange exchange, std::vector<std::shared_ptr<Channel>> channels, int index);
  void set_input(std::unique_ptr<TaskInput> input) { input_ = std::move(input); }
  /// For a source task: the source itself counts as a node that passes barriers and the end.
  void set_source_node() { has_source_node_ = true; }

  /// Work for the task's thread (a trigger, new splits, "committed"). Any thread.
  void post(std::function<void()> mail);
  /// Does what was posted. On the task's thread.
  void take_mail();
  /// Set once by the scheduler: makes it step the task. Any thread may call wake().
  void set_scheduler(Waker schedule) { schedule_ = std::move(schedule); }
  void wake() {
    if (schedule_) schedule_();
  }

  /// Runs for at most one time slice. What it throws ends the attempt.
  StepResult step();

  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const TaskTimes& times() const { return times_; }
  bool finished() const { return finished_; }

  // ChainListener
  void passed_barrier(Epoch epoch) override;
  void passed_end() override;
  TaskSnapshot& barrier_snapshot() override { return snapshot_; }
  TaskSnapshot& final_snapshot() override { return final_; }

 private:
  bool settle();
  int nodes() const { return static_cast<int>(nodes_.size()) + (has_source_node_ ? 1 : 0); }

  const int id_;
  const std::string name_;
  TaskListener& listener_;
  const Clock& clock_;
  std::unique_ptr<TaskInput> input_;
  bool has_source_node_ = false;
  std::vector<std::unique_ptr<ChainNode>> nodes_;
  std::vector<std::unique_ptr<ChannelTarget>> channels_;
  Waker schedule_;

  std::mutex mail_mutex_;
  std::vector<std::function<void()>> mail_;

  TaskSnapshot snapshot_, final_;
  int passed_barrier_ = 0, passed_end_ = 0;
  bool input_ended_ = false;
  std::atomic<bool> finished_{false};

  TaskTimes times_;
  Counter* parked_as_ = nullptr;
  Duration parked_at_{};  ///< by the steady clock
};

}  // namespace weir
