#include "tests/runtime/checkpoint/faulty_disk.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
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

/// The function of the C library that is replaced here.
template <typename F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

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

// In front of the C library's own, for everything in this program, libstdc++ included.
extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if ((flags & O_ACCMODE) != O_RDONLY && weir::fails("open", path)) return -1;
  static const auto next = weir::real<int(const char*, int, ...)>("open");
  return next(path, flags, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (weir::disk && weir::fails("write", weir::path_of(fd))) return -1;
  static const auto next = weir::real<ssize_t(int, const void*, size_t)>("write");
  return next(fd, bytes, size);
}

int fsync(int fd) {
  if (weir::disk) {
    if (weir::fails("fsync", weir::path_of(fd))) return -1;
    weir::disk->synced(weir::path_of(fd));
    return 0;
  }
  static const auto next = weir::real<int(int)>("fsync");
  return next(fd);
}

int rename(const char* from, const char* to) noexcept {
  if (weir::fails("rename", to)) return -1;
  static const auto next = weir::real<int(const char*, const char*)>("rename");
  return next(from, to);
}

int link(const char* from, const char* to) noexcept {
  if (weir::fails("link", to)) return -1;
  static const auto next = weir::real<int(const char*, const char*)>("link");
  return next(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (weir::fails("mkdir", path)) return -1;
  static const auto next = weir::real<int(const char*, mode_t)>("mkdir");
  return next(path, mode);
}

int unlink(const char* path) noexcept {
  if (weir::fails("unlink", path)) return -1;
  static const auto next = weir::real<int(const char*)>("unlink");
  return next(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (weir::disk && weir::fails("unlinkat", weir::path_at(folder, path))) return -1;
  static const auto next = weir::real<int(int, const char*, int)>("unlinkat");
  return next(folder, path, flags);
}

}  // extern "C"
