#pragma once
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

namespace weir {

/// While it lives, this thread's calls of the C library that change what is below a folder (open to write, write, fsync,
/// rename, link, mkdir, unlink, unlinkat) are counted, and one of them fails. Nothing is forced to the disk, which saves
/// time. One at a time.
class FaultyDisk {
 public:
  /// The call number `fail_at` (from 1; 0: none) fails with `error` and does nothing.
  explicit FaultyDisk(const std::filesystem::path& folder, std::size_t fail_at = 0, int error = 0);
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  std::size_t calls() const { return calls_; }
  /// The call that failed, as `fsync /folder/file`; empty when there were fewer.
  const std::string& failed() const { return failed_; }

  /// Files that were written, and folders in which names were made or changed, that nobody has synced since: a loss of power
  /// may undo that.
  const std::set<std::string>& unsynced() const { return unsynced_; }

  // For the replaced calls.
  /// True if the call is to fail, errno being set.
  bool fails(const char* call, const std::string& path);
  void synced(const std::string& path) { unsynced_.erase(path); }

 private:
  const std::string folder_;
  const std::size_t fail_at_;
  const int error_;
  std::size_t calls_ = 0;
  std::string failed_;
  std::set<std::string> unsynced_;
};

}  // namespace weir
