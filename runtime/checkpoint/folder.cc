#include "runtime/checkpoint/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/checkpoint/checkpoint_name.h"
#include "runtime/checkpoint/retention.h"
#include "runtime/state/file_checksum.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

/// The names in a folder.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    names.push_back(i->path().filename().string());
  if (error)
    throw Error(blame_of_system_error(error.value()),
                fmt::format("cannot read {}: {}", folder.string(), system_reason(error.value())));
  return names;
}

/// What `file` holds, at most a short line: the pid in LOCK.
std::string first_bytes(int fd) {
  char text[32];
  const auto got = ::pread(fd, text, sizeof text, 0);
  std::string_view view(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  return std::string(view.substr(0, view.find('\n')));
}

}  // namespace

std::vector<CheckpointEntry> list_checkpoints(const fs::path& job_folder) {
  if (!is_folder(job_folder)) throw Error(Blame::kUser, fmt::format("{} is no folder", job_folder.string()));
  std::vector<CheckpointEntry> entries;
  for (const std::string& text : names_in(job_folder)) {
    const FolderName name = parse_folder_name(text);
    if (name.item == FolderItem::kCheckpoint) entries.push_back({name.epoch, name.state, job_folder / text});
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return std::tie(a.epoch, a.state) < std::tie(b.epoch, b.state); });
  return entries;
}

struct CheckpointFolder::Kept {
  std::map<Epoch, RetainedCheckpoint> checkpoints;
};

CheckpointFolder::CheckpointFolder(const fs::path& dir, const std::string& job)
    : path_(dir / job), kept_(std::make_unique<Kept>()) {
  make_folders(path_);
  lock();
  try {
    clean();
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

std::string home_of(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error)
    throw Error(blame_of_system_error(error.value()),
                fmt::format("cannot look at {}: {}", folder.string(), system_reason(error.value())));
  return FileChecksum::of(real.string()).substr(0, 8);
}

CheckpointFolder::~CheckpointFolder() { ::close(lock_); }

void CheckpointFolder::lock() {
  const fs::path file = path_ / "LOCK";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw Error(blame_of_system_error(errno), fmt::format("cannot create {}: {}", file.string(), system_reason(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const std::string owner = first_bytes(lock_);
    ::close(lock_);
    if (error != EWOULDBLOCK)
      throw Error(blame_of_system_error(error), fmt::format("cannot lock {}: {}", file.string(), system_reason(error)));
    throw Error(Blame::kRefused,
                fmt::format("another process runs this job: stop it, or give this job another name or checkpoint.dir; "
                            "process {} holds {}",
                            owner.empty() ? "unknown" : owner, file.string()));
  }
  // For the message above only; the lock itself is the kernel's and ends with this process.
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, pid.data(), pid.size(), 0) < 0) {
    const int error = errno;
    ::close(lock_);
    throw Error(blame_of_system_error(error), fmt::format("cannot write {}: {}", file.string(), system_reason(error)));
  }
}

void CheckpointFolder::clean() {
  for (const std::string& text : names_in(path_)) {
    const FolderName name = parse_folder_name(text);
    highest_ = std::max(highest_, name.epoch);
    if (name.item == FolderItem::kUnfinished || name.item == FolderItem::kWork) remove_all_of(path_ / text);
  }
}

fs::path CheckpointFolder::path_of(Epoch epoch, CheckpointState state) const {
  return path_ / checkpoint_folder_name(epoch, state);
}

fs::path CheckpointFolder::work_folder(const RunId& run) const {
  return path_ / fmt::format("{}{}", kWorkPrefix, run.value);
}

Epoch CheckpointFolder::next_epoch(const std::optional<Marker>& marker, std::span<const Epoch> also) const {
  Epoch highest = marker ? std::max(highest_, marker->epoch) : highest_;
  for (const CheckpointEntry& entry : list()) highest = std::max(highest, entry.epoch);
  for (const Epoch epoch : also) highest = std::max(highest, epoch);
  return highest.next();
}

/// Locks anew when LOCK was deleted or replaced while the job runs: another process could lock the new one.
void CheckpointFolder::keep_lock() {
  struct stat mine {
  }, there{};
  if (::fstat(lock_, &mine) == 0 && ::stat((path_ / "LOCK").c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
      mine.st_ino == there.st_ino)
    return;
  const int old = lock_;
  try {
    make_folders(path_);
    lock();
  } catch (...) {
    lock_ = old;
    throw;
  }
  ::close(old);
}

CheckpointWriter CheckpointFolder::begin(Epoch epoch) {
  keep_lock();
  for (const auto state : {CheckpointState::kPrepared, CheckpointState::kCommitted})
    if (is_there(path_of(epoch, state)))
      throw Error(Blame::kBug,
                  fmt::format("the number of a checkpoint would be used again: {}", path_of(epoch, state).string()));
  highest_ = std::max(highest_, epoch);
  return CheckpointWriter(path_, epoch);
}

void CheckpointFolder::commit(Epoch epoch) {
  const fs::path prepared = path_of(epoch, CheckpointState::kPrepared),
                 committed = path_of(epoch, CheckpointState::kCommitted);
  const bool is_prepared = is_there(prepared), is_committed = is_there(committed);
  if (!is_prepared && !is_committed)
    throw Error(Blame::kEnvironment, fmt::format("{} is gone: somebody deleted it", prepared.string()));
  if (is_prepared && is_committed)
    throw Error(
        Blame::kRefused,
        fmt::format("checkpoint {} is there twice: delete or move away the one that does not belong to this job; {} and {}",
                    epoch.value, prepared.string(), committed.string()));
  if (is_prepared) rename_durably(prepared, committed);
  else sync_folder(path_);  // a crash may have come between the rename and this
}

void CheckpointFolder::remove(const fs::path& checkpoint) {
  const FolderName name = parse_folder_name(checkpoint.filename().string());
  fs::path deleting = path_of(name.epoch, CheckpointState::kCommitted);
  deleting += kDeletingSuffix;
  remove_all_of(deleting);
  rename_durably(checkpoint, deleting);
  remove_all_of(deleting);
}

void CheckpointFolder::delete_prepared(Epoch epoch) {
  highest_ = std::max(highest_, epoch);
  const fs::path prepared = path_of(epoch, CheckpointState::kPrepared);
  if (is_there(prepared)) remove(prepared);
}

std::vector<Epoch> CheckpointFolder::expire(int retain) {
  std::vector<RetainedCheckpoint> committed;
  for (const CheckpointEntry& entry : list()) {
    if (entry.state != CheckpointState::kCommitted) continue;
    auto [known, added] = kept_->checkpoints.try_emplace(entry.epoch);
    if (added) known->second = retained_checkpoint(entry);
    committed.push_back(known->second);
  }
  const std::vector<Epoch> expired = expired_checkpoints(committed, retain);
  for (const Epoch epoch : expired) {
    remove(path_of(epoch, CheckpointState::kCommitted));
    kept_->checkpoints.erase(epoch);
  }
  return expired;
}

}  // namespace weir
