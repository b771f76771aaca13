#include "connectors/file/stdin_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/error.h"
#include "runtime/base/system_failure.h"

namespace weir {
namespace {

constexpr std::size_t kReadSize = 256 << 10;
constexpr int kLook = 200;  // milliseconds after which a wait looks whether it is to end
constexpr Duration kShortestPause = Duration::milliseconds(10), kLongestPause = Duration::milliseconds(50);

/// None: nothing is there after all.
std::optional<std::string> read_some(int descriptor) {
  std::string bytes(kReadSize, '\0');
  while (true) {
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return std::nullopt;  // another program read it
    if (got < 0) throw Error(Blame::kEnvironment, fmt::format("cannot read standard input: {}", system_reason(errno)));
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

}  // namespace

StdinReader::StdinReader(std::shared_ptr<const LineSourcePlan> plan, int descriptor)
    : plan_(std::move(plan)),
      descriptor_(descriptor),
      decoder_(plan_),
      cutter_(plan_->framing, 0, 1, plan_->decoders->has_header()),
      pause_(kShortestPause) {}

void StdinReader::open(const TaskContext& task) {
  task_ = task;
  work_.emplace(*task.attempt->blocking, task.waker);
}

InputStatus StdinReader::poll_next(SourceOutput& out) {
  if (splits_.empty() || splits_.front().ended)
    return no_more_splits_ ? InputStatus::kEndOfInput : InputStatus::kNothingAvailable;
  SplitState& split = splits_.front();
  if (!decoder_.has_chunk() && !take_arrived()) return read_more(split, out);
  if (decoder_.has_records()) {
    ChunkDecoder::Rows rows = decoder_.decode(static_cast<std::size_t>(task_.attempt->batch_rows), *task_.counters);
    split.next = rows.next;
    if (rows.rows) out.emit(split, std::move(rows.rows));
    if (rows.errors) out.emit_errors(std::move(rows.errors));
  }
  if (!decoder_.has_records()) {
    split.next = decoder_.chunk().end();
    split.ended = decoder_.chunk().last;
    if (split.ended) split.end = split.next;
    decoder_.drop();
  }
  return InputStatus::kMoreAvailable;
}

/// True when bytes have come, which are then the decoder's.
bool StdinReader::take_arrived() {
  if (!reading_) return false;
  std::optional<std::string> bytes;
  {
    std::lock_guard lock(arrived_->mutex);
    bytes = std::exchange(arrived_->bytes, std::nullopt);
  }
  if (!bytes) return false;
  reading_ = false;
  cutter_.add(*bytes);
  try {
    decoder_.take("stdin", cutter_.cut(bytes->empty()));
  } catch (const Error& e) {
    throw Error(e.blame(), fmt::format("source {}: standard input {}", plan_->name, e.text()));
  }
  return true;
}

InputStatus StdinReader::read_more(SplitState& split, SourceOutput& out) {
  if (reading_) return InputStatus::kNothingAvailable;
  pollfd ready{descriptor_, POLLIN, 0};
  if (::poll(&ready, 1, 0) == 0) {
    out.caught_up(split);
    task_.wake_after(pause_);
    pause_ = std::min(kLongestPause, Duration{pause_.micros * 2});
    return InputStatus::kNothingAvailable;
  }
  pause_ = kShortestPause;
  reading_ = true;
  work_->add([descriptor = descriptor_, arrived = arrived_, pool = task_.attempt->blocking] {
    std::optional<std::string> bytes;
    for (pollfd ready{descriptor, POLLIN, 0}; !(bytes = read_some(descriptor)) && !pool->stopping();)
      ::poll(&ready, 1, kLook);
    std::lock_guard lock(arrived->mutex);
    arrived->bytes = std::move(bytes);
  });
  return InputStatus::kNothingAvailable;
}

}  // namespace weir
