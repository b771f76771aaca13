#include "connectors/file/file_reader.h"

#include "connectors/file/fingerprint.h"

namespace weir {
namespace {

constexpr int kReadAhead = 2;  // chunks

}  // namespace

void FileReader::open(const TaskContext& task) {
  task_ = task;
  work_.emplace(*task.attempt->blocking, task.waker);
}

void FileReader::add_splits(std::vector<SplitState> splits) { splits_.insert(splits_.end(), splits.begin(), splits.end()); }

InputStatus FileReader::poll_next(SourceOutput& out) {
  SplitState* split = current();
  if (!split) return no_more_splits_ ? InputStatus::kEndOfInput : InputStatus::kNothingAvailable;
  if (!decoder_.has_chunk() && !take_chunk(*split)) return InputStatus::kNothingAvailable;
  if (decoder_.has_records()) emit_rows(*split, out);
  if (!decoder_.has_records()) {
    if (!decoder_.chunk().bytes.empty()) move_to(*split, decoder_.chunk().end(), decoder_.end_line());
    if (decoder_.chunk().last) {
      split->ended = true;
      file_.reset();
      out.caught_up(*split);
    }
    decoder_.drop();
  }
  return InputStatus::kMoreAvailable;
}

SplitState* FileReader::current() {
  const auto split = std::find_if(splits_.begin(), splits_.end(), [](const SplitState& s) { return !s.ended; });
  return split == splits_.end() ? nullptr : &*split;
}

void FileReader::read_ahead(const SplitState& split) {
  if (!file_) {
    file_ = std::make_shared<OpenFile>(split, plan_->framing, plan_->decoders->has_header());
    asked_ = 0;
  }
  for (; asked_ < kReadAhead; ++asked_) {
    work_->add([file = file_] {
      std::optional<Chunk> chunk = file->chunks.read();
      if (!chunk) return;
      std::lock_guard lock(file->mutex);
      file->ready.push_back(std::move(*chunk));
    });
  }
}

bool FileReader::take_chunk(const SplitState& split) {
  read_ahead(split);
  Chunk chunk;
  {
    std::lock_guard lock(file_->mutex);
    if (file_->ready.empty()) return false;
    chunk = std::move(file_->ready.front());
    file_->ready.pop_front();
  }
  --asked_;
  read_ahead(split);
  decoder_.take(split.topic, std::move(chunk));
  return true;
}

void FileReader::emit_rows(SplitState& split, SourceOutput& out) {
  ChunkDecoder::Rows rows = decoder_.decode(static_cast<std::size_t>(task_.attempt->batch_rows), *task_.counters);
  move_to(split, rows.next, rows.line);
  if (rows.rows) out.emit(split, std::move(rows.rows));
  if (rows.errors) out.emit_errors(std::move(rows.errors));
}

void FileReader::move_to(SplitState& split, std::int64_t next, std::int64_t line) const {
  split.next = next;
  const Chunk& chunk = decoder_.chunk();
  const std::string_view read = std::string_view(chunk.bytes).substr(0, static_cast<std::size_t>(next - chunk.begin));
  FileFingerprint fingerprint = FileFingerprint::of(line, read);
  fingerprint.open = chunk.open && next == chunk.end();
  split.fingerprint = fingerprint.text();
}

}  // namespace weir
