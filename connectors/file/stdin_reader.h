#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "connectors/file/chunk_decoder.h"
#include "runtime/api/ordered_work.h"
#include "runtime/api/source.h"

namespace weir {

/// Reads a pipe, a terminal or a redirected file as it comes. Reads on the blocking pool only when there is something, so
/// that no thread waits for the writer; looks every 10 to 50 ms.
class StdinReader final : public SourceReader {
 public:
  StdinReader(std::shared_ptr<const LineSourcePlan> plan, int descriptor);

  void open(const TaskContext& task) override;
  void add_splits(std::vector<SplitState> splits) override { splits_.insert(splits_.end(), splits.begin(), splits.end()); }
  void no_more_splits() override { no_more_splits_ = true; }
  InputStatus poll_next(SourceOutput& out) override;
  std::vector<SplitState> splits() const override { return splits_; }
  ErrorRow record_of(std::int64_t row) const override { return decoder_.record_of(row); }

 private:
  struct Arrived {
    std::mutex mutex;
    std::optional<std::string> bytes;  ///< of one read; empty: the end
  };
  InputStatus read_more(SplitState& split, SourceOutput& out);
  bool take_arrived();

  std::shared_ptr<const LineSourcePlan> plan_;
  int descriptor_;
  ChunkDecoder decoder_;
  ChunkCutter cutter_;
  TaskContext task_;
  std::optional<OrderedWork> work_;
  std::shared_ptr<Arrived> arrived_ = std::make_shared<Arrived>();
  bool reading_ = false;
  Duration pause_;
  std::vector<SplitState> splits_;  ///< one, or none where another task has it
  bool no_more_splits_ = false;
};

}  // namespace weir
