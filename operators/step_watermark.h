#pragma once
#include <string>

#include "runtime/api/context.h"
#include "runtime/api/snapshot.h"

namespace weir {

/// The watermark of a keyed step, over restores: it begins with that of the checkpoint, so that what fired never fires
/// again, and never falls. Held by KeyedState, which puts it into every snapshot. Belongs to the task's thread.
class StepWatermark {
 public:
  void open(const TaskContext& task) {
    step_ = task.name;
    now_ = finite_ = task.restored_watermark();
  }
  /// Raises it. False if it is not higher than before.
  bool advance(Timestamp w) {
    if (w <= now_) return false;
    now_ = w;
    if (w != Timestamp::infinity()) finite_ = w;
    return true;
  }
  Timestamp now() const { return now_; }
  std::int64_t micros() const { return now_.micros; }
  /// The input ended: nothing is expected any more.
  bool endless() const { return now_ == Timestamp::infinity(); }
  /// The last one before the end, since a job that is continued reads on from there; nothing where there is none.
  void snapshot(TaskSnapshot& snapshot) const {
    if (finite_ != Timestamp::none()) snapshot.watermarks.push_back({step_, finite_});
  }

 private:
  std::string step_;
  Timestamp now_ = Timestamp::none(), finite_ = Timestamp::none();
};

}  // namespace weir
