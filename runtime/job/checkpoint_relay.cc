#include "runtime/job/checkpoint_relay.h"

namespace weir {

void CheckpointRelay::on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) {
  lease_.post([this, task, epoch, snapshot = std::move(snapshot)]() mutable {
    coordinator_->on_snapshot(task, epoch, std::move(snapshot));
  });
}

void CheckpointRelay::on_finished(int task, TaskSnapshot snapshot) {
  lease_.post(
      [this, task, snapshot = std::move(snapshot)]() mutable { coordinator_->on_finished(task, std::move(snapshot)); });
}

void CheckpointRelay::on_failure(std::exception_ptr reason) {
  lease_.post([this, reason] { on_failure_(reason); });
}

}  // namespace weir
