#include "runtime/base/durable_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "runtime/base/error.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path, int error, Blame blame) {
  const bool rights = error == EACCES || error == EPERM || error == EROFS;
  throw Error(blame, fmt::format("cannot {} {}: {}{}", what, path.string(), system_reason(error),
                                 rights ? "; the user that runs weir must be allowed to write there" : ""));
}

[[noreturn]] void fail(const char* what, const fs::path& path, int error) {
  fail(what, path, error, blame_of_system_error(error));
}

/// A file descriptor that is closed at the end of its life.
class Descriptor {
 public:
  Descriptor(const char* what, const fs::path& path, int flags, mode_t mode = 0644)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
    if (fd_ < 0) fail(what, path, errno);
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, const char* bytes, std::size_t size, const fs::path& file) {
  while (size > 0) {
    const auto written = ::write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", file, errno);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none || type == fs::file_type::unknown)
    throw Error(Blame::kEnvironment, fmt::format("cannot look at {}: {}", path.string(), system_reason(error.value())));
  return type;
}

void sync(int fd, const fs::path& path) {
  // Some file systems cannot sync a folder and say so with EINVAL: there is nothing more to do then.
  if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS) fail("sync", path, errno);
}

}  // namespace

void write_file_durably(const fs::path& file, std::string_view bytes) {
  const Descriptor out("create", file, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(out.get(), bytes.data(), bytes.size(), file);
  sync(out.get(), file);
}

void sync_file(const fs::path& file) { sync(Descriptor("open", file, O_RDONLY).get(), file); }

void sync_folder(const fs::path& folder) { sync(Descriptor("open", folder, O_RDONLY | O_DIRECTORY).get(), folder); }

void copy_file_durably(const fs::path& from, const fs::path& to) {
  const Descriptor in("read", from, O_RDONLY), out("create", to, O_WRONLY | O_CREAT | O_EXCL);
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const auto got = ::read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", from, errno);
    if (got == 0) break;
    write_all(out.get(), buffer.data(), static_cast<std::size_t>(got), to);
  }
  sync(out.get(), to);
}

void link_or_copy_file(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return;
  // EPERM: the file system has no hard links, or the kernel forbids them for files of another user.
  if (errno == EXDEV || errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP) return copy_file_durably(from, to);
  const int error = errno;
  const bool there = is_there(from);
  fail(there ? "create" : "read", there ? to : from, error);
}

void rename_durably(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail(fmt::format("rename {} to", from.string()).c_str(), to, errno);
  sync_folder(to.parent_path());
}

void remove_all_of(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail("delete", path, error.value());
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const int code = error.value();
  if (error)
    fail("create folder", folder, code, code == ENOENT || code == EEXIST ? Blame::kUser : blame_of_system_error(code));
  if (!is_folder(folder)) fail("create folder", folder, ENOTDIR);
}

bool is_there(const fs::path& path) { return type_of(path) != fs::file_type::not_found; }

bool is_folder(const fs::path& path) { return type_of(path) == fs::file_type::directory; }

bool is_file(const fs::path& path) { return type_of(path) == fs::file_type::regular; }

std::string read_whole_file(const fs::path& file, std::uint64_t limit) {
  const Descriptor in("read", file, O_RDONLY);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) fail("read", file, errno);
  if (!S_ISREG(status.st_mode)) fail("read", file, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit)
    throw Error(Blame::kEnvironment,
                fmt::format("cannot read {}: it has {} bytes, more than {}", file.string(), size, limit));
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto got = ::read(in.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", file, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace weir
