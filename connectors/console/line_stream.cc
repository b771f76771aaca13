#include "connectors/console/line_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "runtime/base/error.h"
#include "runtime/base/system_failure.h"

namespace weir {
namespace {

constexpr int kLook = 200;                             ///< milliseconds after which a wait looks whether it is to end
constexpr Duration kPatience = Duration::seconds(10);  ///< after which it says what it waits for

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

bool LineStream::is_writable() const {
  const int mode = ::fcntl(descriptor_, F_GETFL);
  return mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
}

void LineStream::write(const AttemptContext& attempt, const std::string& sink, std::string_view preamble,
                       std::string_view lines) {
  std::lock_guard lock(mutex_);
  if (begun_.insert(sink).second) write_all(attempt, preamble);
  write_all(attempt, lines);
}

/// What is no file takes so much at a time without waiting once it takes something at all: no call waits in the kernel,
/// where nothing ends it.
void LineStream::write_all(const AttemptContext& attempt, std::string_view bytes) {
  const std::size_t most = is_file(descriptor_) ? bytes.size() : PIPE_BUF;
  while (!bytes.empty()) {
    if (most == PIPE_BUF) wait_for_reader(attempt);
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min(most, bytes.size()));
    if (written >= 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno == EPIPE) throw Error(Blame::kUser, "standard output was closed by the program that reads it");
    else if (errno != EINTR && errno != EAGAIN)
      throw Error(Blame::kEnvironment, fmt::format("writing to standard output failed: {}", system_reason(errno)));
  }
}

void LineStream::wait_for_reader(const AttemptContext& attempt) const {
  const Duration begun = attempt.clock->steady();
  Duration told = begun;
  pollfd wait{descriptor_, POLLOUT, 0};
  while (::poll(&wait, 1, kLook) == 0) {
    const Duration now = attempt.clock->steady();
    if (attempt.blocking->stopping()) throw Error(Blame::kEnvironment, "standard output was not read before the job ended");
    if (now - told < kPatience) continue;
    told = now;
    if (attempt.note)
      attempt.note(fmt::format("waiting for the reader of standard output, for {} s", (now - begun).micros / 1'000'000));
  }
}

}  // namespace weir
