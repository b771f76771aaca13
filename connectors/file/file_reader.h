#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "connectors/file/chunk_decoder.h"
#include "connectors/file/file_chunks.h"
#include "runtime/api/ordered_work.h"
#include "runtime/api/source.h"

namespace weir {

/// Reads the files of one task, one after the other. Chunks are read ahead on the blocking pool; records become rows on the
/// task's thread.
class FileReader final : public SourceReader {
 public:
  explicit FileReader(std::shared_ptr<const LineSourcePlan> plan) : plan_(std::move(plan)), decoder_(plan_) {}

  void open(const TaskContext& task) override;
  void add_splits(std::vector<SplitState> splits) override;
  void no_more_splits() override { no_more_splits_ = true; }
  InputStatus poll_next(SourceOutput& out) override;
  std::vector<SplitState> splits() const override { return splits_; }
  ErrorRow record_of(std::int64_t row) const override { return decoder_.record_of(row); }

 private:
  /// The file being read; shared with the work on the pool.
  struct OpenFile {
    OpenFile(const SplitState& split, RecordFraming framing, bool has_header) : chunks(split, framing, has_header) {}
    FileChunks chunks;
    std::mutex mutex;
    std::deque<Chunk> ready;
  };
  SplitState* current();
  void read_ahead(const SplitState& split);
  bool take_chunk(const SplitState& split);
  void emit_rows(SplitState& split, SourceOutput& out);
  /// The split goes on at `next`, within the decoder's chunk or at its end, in `line`.
  void move_to(SplitState& split, std::int64_t next, std::int64_t line) const;

  std::shared_ptr<const LineSourcePlan> plan_;
  ChunkDecoder decoder_;
  TaskContext task_;
  std::optional<OrderedWork> work_;
  std::vector<SplitState> splits_;
  bool no_more_splits_ = false;
  std::shared_ptr<OpenFile> file_;  ///< null: the next split is not begun
  int asked_ = 0;                   ///< chunks of file_ that are ordered and not taken
};

}  // namespace weir
