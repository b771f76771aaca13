#pragma once
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "runtime/exec/inputs.h"
#include "runtime/exec/scheduler.h"
#include "runtime/graph/plan.h"

namespace weir {

/// What an execution reports. Called from any thread; must not block.
class ExecutionListener : public TaskListener {
 public:
  /// Once at the most: something threw. The execution is to be stopped.
  virtual void on_failure(std::exception_ptr reason) = 0;
};

/// What a vertex did so far, summed over its tasks.
struct VertexTotals {
  std::uint64_t rows_in = 0, rows_out = 0, bytes = 0, errors = 0, late = 0, lag = 0;
  std::uint64_t state_rows = 0, state_bytes = 0, state_reads = 0;
  std::uint64_t freeze = 0;                  ///< the longest of its tasks'
  std::map<std::string, std::uint64_t> own;  ///< by name
};

/// The tasks of one attempt, running. Built from a plan; destroyed (or stopped) before anything it refers to.
class Execution {
 public:
  /// How many batches a channel holds, if they are small: all channels together hold 1/128 of the job's memory, but for one
  /// batch each.
  static constexpr std::size_t kChannelBatches = 8;

  Execution(const Graph& graph, const Plan& plan, AttemptContext& attempt, Executor& executor, ExecutionListener& listener);
  ~Execution();

  Scheduler& scheduler() { return scheduler_; }
  int tasks() const { return static_cast<int>(tasks_.size()); }

  /// Gives a source's splits to its tasks, in turn. May be called again for those found later.
  void add_splits(int vertex, const std::vector<SplitState>& splits);
  void no_more_splits(int vertex);
  /// Opens all operators and readers, and begins.
  void start();
  /// Lets all source tasks send barrier `epoch`; with `last` they read nothing after it.
  void trigger(Epoch epoch, bool last);
  void committed(Epoch epoch);
  /// Winds up: nothing runs afterwards. Not from work of the execution.
  void stop();
  /// The same at a graceful end: then the sources hear of the last checkpoint, which their tasks may not have.
  void wind_up(Epoch last);

  VertexTotals totals(int vertex) const;
  /// Changes when a position moved; for skipping empty epochs.
  std::uint64_t moves() const;
  TaskTimes const& times(int task) const { return tasks_[static_cast<std::size_t>(task)]->times(); }
  const std::string& name(int task) const { return tasks_[static_cast<std::size_t>(task)]->name(); }

 private:
  struct Node;
  void build_chain(int chain);
  void connect_chain(int chain);
  void align_sources();
  Node& node(int vertex, int index);

  const Graph& graph_;
  const Plan& plan_;
  AttemptContext& attempt_;
  Executor& executor_;
  const std::size_t channel_bytes_;  ///< that a channel may hold
  ExecutionListener& listener_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<std::vector<std::unique_ptr<Node>>> nodes_;        ///< by vertex and task index
  std::vector<std::unique_ptr<WatermarkAlignment>> alignments_;  ///< of sources that meet
  std::vector<std::size_t> dealt_;                               ///< splits dealt out so far, by vertex
  Scheduler scheduler_;                                          ///< last: stops before the tasks go
};

}  // namespace weir
