#include "connectors/file/file_sink.h"

namespace weir {
namespace {

constexpr std::size_t kWriteSize = 256 << 10, kMostPending = 4 << 20;  // bytes

}  // namespace

void FileSink::open(const TaskContext& task) {
  task_ = task;
  epoch_ = task.attempt->first_epoch;
  work_.emplace(*task.attempt->blocking, task.waker);
}

Progress FileSink::process(int, BatchPtr batch, Output& out) {
  const Duration now = task_.attempt->clock->steady();
  if (part_ && now - part_begun_ >= plan_->roll_interval) finish_part();
  if (!part_) {
    begin_part();
    part_begun_ = now;
  }
  const std::size_t before = buffer_.size();
  rows_ += static_cast<std::uint64_t>(encoder_.encode(*batch, buffer_, *task_.counters, out));
  const std::size_t size = buffer_.size() - before;
  part_size_ += static_cast<std::int64_t>(size);
  task_.counters->bytes.add(size);
  if (part_size_ >= plan_->roll_size) finish_part();
  else if (buffer_.size() >= kWriteSize) write_buffer();
  return progress();
}

void FileSink::begin_part() {
  const PartId id{task_.attempt->job, task_.attempt->home, plan_->sink, task_.attempt->run, epoch_, task_.index, number_++};
  const std::filesystem::path pending = plan_->folder / pending_name(id);
  parts_.push_back({pending.string(), (plan_->folder / final_name(id, plan_->extension)).string()});
  part_ = std::make_shared<PartFile>(pending);
  part_size_ = static_cast<std::int64_t>(plan_->preamble.size());
  buffer_ = plan_->preamble;
  work_->add([part = part_] { part->create(); });
}

void FileSink::write_buffer() {
  const std::size_t size = buffer_.size();
  work_->add([part = part_, bytes = std::exchange(buffer_, {})] { part->append(bytes); }, size);
}

void FileSink::finish_part() {
  write_buffer();
  work_->add([part = std::exchange(part_, nullptr)] { part->finish(); });
}

Progress FileSink::on_barrier(Epoch epoch, Output&) {
  epoch_ = epoch.next();
  return finish_epoch();
}

Progress FileSink::on_end(Output&) { return finish_epoch(); }

Progress FileSink::finish_epoch() {
  if (part_) finish_part();
  must_be_safe_ = true;
  return progress();
}

Progress FileSink::resume(Output&) { return progress(); }

Progress FileSink::progress() {
  if (!must_be_safe_) return work_->pending() <= kMostPending ? Progress::kDone : Progress::kWait;
  if (!work_->idle()) return Progress::kWait;
  must_be_safe_ = false;
  task_.counters->rows_out.add(std::exchange(rows_, 0));
  return Progress::kDone;
}

void FileSink::snapshot(TaskSnapshot& snapshot) {
  for (PendingPart& part : parts_) snapshot.parts.push_back(std::move(part));
  parts_.clear();
  number_ = 0;
}

}  // namespace weir
