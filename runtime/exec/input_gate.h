#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/exec/barrier_aligner.h"
#include "runtime/exec/channel.h"
#include "runtime/exec/watermark_merger.h"

namespace weir {

/// Merges the channels of a task into one stream: reads them in turn, holds back those that delivered the barrier in
/// progress, merges watermarks by minimum, says when all channels of one input ended, and ends when all did. Not
/// thread-safe; belongs to the task's thread.
class InputGate {
 public:
  /// One channel and the number of the operator's input that it feeds.
  struct Source {
    std::shared_ptr<Channel> channel;
    int input = 0;
  };
  /// Whether rows of an input are read now (Operator::wants). While a barrier waits for an input, its rows are read all the
  /// same; control elements in front always are.
  using Wanted = std::function<bool(int input)>;
  /// Without `wanted` all inputs are read.
  explicit InputGate(std::vector<Source> sources, Wanted wanted = {});

  /// What the gate hands on: an element, and for a batch or InputEnd the operator's input.
  struct Merged {
    Element element;
    int input = 0;
  };
  /// Fills `merged` and answers kMoreAvailable; or kNothingAvailable; or kEndOfInput once, after the last End.
  InputStatus poll_next(Merged& merged);

 private:
  bool may_read_rows(int input) const { return !wanted_ || aligner_.waiting() || wanted_(input); }
  bool hand_on(int index, Element element, Merged& merged);
  bool on_end(int index, Merged& merged);

  std::vector<Source> sources_;
  Wanted wanted_;
  std::vector<int> open_of_input_;  ///< channels that have not ended, by input
  std::vector<bool> ended_;
  BarrierAligner aligner_;
  WatermarkMerger watermarks_;
  int next_ = 0;
  int open_;
  bool idle_ = false;
  std::vector<Merged> also_;  ///< further elements that the last one gave rise to
};

}  // namespace weir
