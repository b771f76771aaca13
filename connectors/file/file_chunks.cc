#include "connectors/file/file_chunks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "connectors/file/fingerprint.h"
#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr std::size_t kReadSize = 256 << 10;

}  // namespace

std::optional<std::int64_t> bytes_to_line_end(std::string_view around) {
  if (around.empty() || around[0] == '\n') return 0;
  const std::string_view follows = around.substr(1);
  if (follows.starts_with('\n')) return 1;
  if (follows.starts_with("\r\n")) return 2;
  return std::nullopt;
}

FileChunks::FileChunks(const SplitState& split, RecordFraming framing, bool has_header)
    : path_(split.topic), at_(split.next), end_(*split.end), framing_(framing), has_header_(has_header) {
  const auto fingerprint = FileFingerprint::parse(split.fingerprint);
  line_ = fingerprint ? fingerprint->line : 1;
}

FileChunks::~FileChunks() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Chunk> FileChunks::read() {
  if (done_) return std::nullopt;
  if (!cutter_) open();
  while (true) {
    if (at_ < end_) {
      const std::string bytes = read_at(at_, static_cast<std::size_t>(std::min<std::int64_t>(kReadSize, end_ - at_)));
      if (bytes.empty())
        throw Error(Blame::kData,
                    fmt::format("the file {} was cut short while it was read: {} bytes, not {}", path_, at_, end_));
      at_ += static_cast<std::int64_t>(bytes.size());
      cutter_->add(bytes);
    }
    done_ = at_ >= end_;
    Chunk chunk;
    try {
      chunk = cutter_->cut(done_);
    } catch (const Error& e) {
      throw Error(e.blame(), fmt::format("the file {} {}", path_, e.text()));
    }
    if (chunk.header) header_ = std::move(chunk.header);
    if (chunk.records.empty() && !done_) continue;
    if (header_) chunk.header = std::exchange(header_, std::nullopt);
    return chunk;
  }
}

void FileChunks::open() {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw Error(blame_of_system_error(errno), fmt::format("cannot open the file {}: {}", path_, system_reason(errno)));
  if (at_ > 0) {
    if (has_header_) header_ = header_of_file();
    const std::int64_t skipped = bytes_to_line_end(read_at(at_ - 1, 3)).value_or(0);
    if (skipped > 0 && at_ + skipped <= end_) at_ += skipped, ++line_;
  }
  cutter_.emplace(framing_, at_, line_, has_header_ && !header_);
}

std::string FileChunks::header_of_file() {
  ChunkCutter cutter(framing_, 0, 1, true);
  for (std::int64_t at = 0; at < at_;) {
    const std::string bytes = read_at(at, static_cast<std::size_t>(std::min<std::int64_t>(kReadSize, at_ - at)));
    if (bytes.empty()) break;
    at += static_cast<std::int64_t>(bytes.size());
    cutter.add(bytes);
    if (auto header = cutter.cut(at >= at_).header) return *header;
  }
  throw Error(Blame::kData, fmt::format("the file {} has lost its header", path_));
}

std::string FileChunks::read_at(std::int64_t offset, std::size_t most) const {
  std::string bytes(most, '\0');
  while (true) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), most, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Error(blame_of_system_error(errno), fmt::format("cannot read the file {}: {}", path_, system_reason(errno)));
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

}  // namespace weir
