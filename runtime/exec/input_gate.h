#pragma once
#include <memory>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/exec/barrier_aligner.h"
#include "runtime/exec/channel.h"
#include "runtime/exec/watermark_merger.h"

namespace weir {

/// Merges the channels of a task into one stream: reads them in turn, holds back those that delivered the barrier in
/// progress, merges watermarks by minimum, passes End when all ended. Not thread-safe; belongs to the task's thread.
class InputGate {
 public:
  /// One channel and the number of the operator's input that it feeds.
  struct Source {
    std::shared_ptr<Channel> channel;
    int input = 0;
  };
  explicit InputGate(std::vector<Source> sources);

  /// What the gate hands on: an element, and for a batch the operator's input.
  struct Merged {
    Element element;
    int input = 0;
  };
  /// Fills `merged` and answers kMoreAvailable; or kNothingAvailable; or kEndOfInput once, after the last End.
  InputStatus poll_next(Merged& merged);

 private:
  bool take(int index, Merged& merged);
  bool on_end(int index, Merged& merged);

  std::vector<Source> sources_;
  std::vector<bool> ended_;
  BarrierAligner aligner_;
  WatermarkMerger watermarks_;
  int next_ = 0;
  int open_;
  bool idle_ = false;
  std::vector<Element> also_;  ///< a second element that the last one gave rise to
};

}  // namespace weir
