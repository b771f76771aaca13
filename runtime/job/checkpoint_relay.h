#pragma once
#include <exception>
#include <functional>

#include "runtime/checkpoint/coordinator.h"
#include "runtime/exec/execution.h"
#include "runtime/job/control.h"

namespace weir {

/// Carries what the tasks and the coordinator have to tell each other: snapshots and ends from the tasks' threads to the
/// control thread, barriers and commits from there to the tasks.
class CheckpointRelay final : public ExecutionListener, public CheckpointParticipants {
 public:
  /// `on_failure` is called on the control thread, once at the most. What comes after the lease has ended is dropped.
  CheckpointRelay(const ControlLoop::Lease& lease, std::function<void(std::exception_ptr)> on_failure)
      : lease_(lease), on_failure_(std::move(on_failure)) {}
  /// Both refer to the relay, so they are made after it; before anything runs.
  void connect(Execution& execution, Coordinator& coordinator) { execution_ = &execution, coordinator_ = &coordinator; }

  void on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) override;
  void on_finished(int task, TaskSnapshot snapshot) override;
  void on_failure(std::exception_ptr reason) override;

  void trigger(Epoch epoch, bool last) override { execution_->trigger(epoch, last); }
  void committed(Epoch epoch) override { execution_->committed(epoch); }
  std::uint64_t moves() const override { return execution_->moves(); }

 private:
  const ControlLoop::Lease& lease_;
  const std::function<void(std::exception_ptr)> on_failure_;
  Execution* execution_ = nullptr;
  Coordinator* coordinator_ = nullptr;
};

}  // namespace weir
