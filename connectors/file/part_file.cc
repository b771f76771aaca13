#include "connectors/file/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"

namespace weir {

PartFile::~PartFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PartFile::create() {
  make_folders(path_.parent_path());
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  if (errno == ENOENT)
    throw Error(Blame::kUser,
                fmt::format("no files can be made in {} (the folder of a file sink)", path_.parent_path().string()));
  fail("make");
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail("write");
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartFile::finish() {
  if (::fsync(descriptor_) != 0) fail("write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
  sync_folder(path_.parent_path());
}

void PartFile::fail(const char* what) const {
  throw Error(blame_of_system_error(errno),
              fmt::format("cannot {} the part {}: {}", what, path_.string(), system_reason(errno)));
}

}  // namespace weir
