#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/file/part_file.h"
#include "connectors/file/part_names.h"
#include "connectors/formats/line_encoder.h"
#include "runtime/api/ordered_work.h"

namespace weir {

/// How a file sink writes.
struct FileSinkPlan {
  std::string sink;
  std::filesystem::path folder;  ///< absolute
  std::string extension;
  LineFormat lines;
  std::string preamble;                ///< of each part
  std::int64_t roll_size = 128 << 20;  ///< bytes after which a part is finished
  Duration roll_interval = Duration::seconds(3600);
};

/// Writes the rows of one task into parts under pending names.
///
/// A part holds rows of one epoch only: at the barrier (and at the end of the input) the last one is finished, and all of
/// the epoch are handed to the checkpoint, which gives them their final names when it commits. So what is visible is exactly
/// what is committed.
class FileSink final : public Operator {
 public:
  explicit FileSink(std::shared_ptr<const FileSinkPlan> plan) : plan_(std::move(plan)), encoder_(plan_->lines) {}

  void open(const TaskContext& task) override;
  Progress process(int input, BatchPtr batch, Output& out) override;
  Progress on_barrier(Epoch epoch, Output& out) override;
  Progress on_end(Output& out) override;
  Progress resume(Output& out) override;
  void snapshot(TaskSnapshot& snapshot) override;

 private:
  void begin_part();
  void write_buffer();
  void finish_part();
  Progress finish_epoch();
  Progress progress();

  std::shared_ptr<const FileSinkPlan> plan_;
  LineEncoder encoder_;
  TaskContext task_;
  std::optional<OrderedWork> work_;
  Epoch epoch_;
  int number_ = 0;                  ///< of the next part of the epoch
  std::vector<PendingPart> parts_;  ///< of the epoch
  std::shared_ptr<PartFile> part_;  ///< null: none is being written
  std::int64_t part_size_ = 0;
  Duration part_begun_;
  std::string buffer_;         ///< lines of the part that are not handed to `work_` yet
  std::uint64_t rows_ = 0;     ///< of the epoch
  bool must_be_safe_ = false;  ///< waits until nothing is pending
};

}  // namespace weir
