#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/exec/chain.h"
#include "runtime/exec/task.h"

namespace weir {

/// A downstream task's input: the gate's merged stream into the first node.
class GateInput final : public TaskInput {
 public:
  GateInput(InputGate gate, ChainNode& first) : gate_(std::move(gate)), first_(first) {}
  InputStatus poll_next() override;

 private:
  InputGate gate_;
  ChainNode& first_;
};

/// A source task's input: polls the reader, hands its rows to port 0 and its bad rows to port 1, and puts barriers between.
/// All calls on the task's thread.
class SourceInput final : public TaskInput, private SourceOutput {
 public:
  SourceInput(std::unique_ptr<SourceReader> reader, std::size_t ports, TaskCounters& counters, ChainListener& listener)
      : reader_(std::move(reader)), ports_(ports), counters_(counters), listener_(listener) {}

  SourceReader& reader() { return *reader_; }
  Ports& ports() { return ports_; }

  InputStatus poll_next() override;
  /// Snapshots the positions and sends barrier `epoch`. With `last` nothing is read any more after it.
  void trigger(Epoch epoch, bool last);
  void on_committed(Epoch epoch);
  /// How often the reader moved. Any thread.
  std::uint64_t moves() const { return moves_.get(); }

 private:
  void emit(const SplitState& split, BatchPtr batch) override;
  void emit_errors(BatchPtr batch) override;
  void caught_up(const SplitState& split) override;

  std::unique_ptr<SourceReader> reader_;
  Ports ports_;
  TaskCounters& counters_;
  ChainListener& listener_;
  Counter moves_;
  bool stopped_ = false;
  bool ended_ = false;
  std::vector<std::pair<Epoch, std::vector<SplitState>>> uncommitted_;
};

}  // namespace weir
