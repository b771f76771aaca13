#include "tests/runtime/checkpoint/faulty_disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace weir {
namespace {

thread_local FaultyDisk* disk = nullptr;

std::string path_of(int fd) {
  char buffer[4096];
  const auto n = ::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), buffer, sizeof buffer);
  return std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
}

/// What a name below an open folder is in full.
std::string path_at(int folder, const char* name) {
  return name[0] == '/' || folder == AT_FDCWD ? std::string(name) : path_of(folder) + "/" + name;
}

bool fails(const char* call, const std::string& path) { return disk && disk->fails(call, path); }

}  // namespace

FaultyDisk::FaultyDisk(const std::filesystem::path& folder, std::size_t fail_at, int error)
    : folder_(folder.string() + "/"), fail_at_(fail_at), error_(error) {
  disk = this;
}

FaultyDisk::~FaultyDisk() { disk = nullptr; }

bool FaultyDisk::fails(const char* call, const std::string& path) {
  if (!(path + "/").starts_with(folder_)) return false;
  if (++calls_ == fail_at_) {
    failed_ = fmt::format("{} {}", call, path);
    errno = error_;
    return true;
  }
  const std::string_view done = call;
  if (done == "write") unsynced_.insert(path);
  if (done == "open" || done == "rename" || done == "link" || done == "mkdir")
    unsynced_.insert(std::filesystem::path(path).parent_path());
  return false;
}

}  // namespace weir

// In front of the C library's own, for everything in this program, libstdc++ included. They are called before a sanitizer is
// ready, so without a disk they go straight to the system.
#define WEIR_EARLY __attribute__((no_sanitize("address", "thread", "undefined")))

extern "C" {

WEIR_EARLY int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (weir::disk && (flags & O_ACCMODE) != O_RDONLY && weir::fails("open", path)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

WEIR_EARLY ssize_t write(int fd, const void* bytes, size_t size) {
  if (weir::disk && weir::fails("write", weir::path_of(fd))) return -1;
  return ::syscall(SYS_write, fd, bytes, size);
}

WEIR_EARLY int fsync(int fd) {
  if (!weir::disk) return static_cast<int>(::syscall(SYS_fsync, fd));
  if (weir::fails("fsync", weir::path_of(fd))) return -1;
  weir::disk->synced(weir::path_of(fd));
  return 0;
}

WEIR_EARLY int rename(const char* from, const char* to) noexcept {
  if (weir::disk && weir::fails("rename", to)) return -1;
  return static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

WEIR_EARLY int link(const char* from, const char* to) noexcept {
  if (weir::disk && weir::fails("link", to)) return -1;
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

WEIR_EARLY int mkdir(const char* path, mode_t mode) noexcept {
  if (weir::disk && weir::fails("mkdir", path)) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

WEIR_EARLY int unlink(const char* path) noexcept {
  if (weir::disk && weir::fails("unlink", path)) return -1;
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

WEIR_EARLY int unlinkat(int folder, const char* path, int flags) noexcept {
  if (weir::disk && weir::fails("unlinkat", weir::path_at(folder, path))) return -1;
  return static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}

}  // extern "C"

#undef WEIR_EARLY
