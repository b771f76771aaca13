#include "connectors/console/line_stream.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/error.h"

namespace weir {

void LineStream::write(const std::string& sink, std::string_view preamble, std::string_view lines) {
  std::lock_guard lock(mutex_);
  if (begun_.insert(sink).second) write_all(preamble);
  write_all(lines);
}

void LineStream::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait{descriptor_, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno == EPIPE) {
      throw Error(Blame::kUser, "standard output was closed by the program that reads it");
    } else if (errno != EINTR) {
      throw Error(Blame::kEnvironment, fmt::format("writing to standard output failed: {}", std::strerror(errno)));
    }
  }
}

}  // namespace weir
