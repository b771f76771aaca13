#include <system_error>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/checkpoint/checkpoint_name.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/state/file_checksum.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestName = "manifest.json";
constexpr std::uint64_t kLargestManifest = 256ull << 20;

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error)
    throw Error(Blame::kEnvironment, fmt::format("cannot read {}: {}", file.string(), system_reason(error.value())));
  return size;
}

/// Makes the names in `folder` and in all folders below it durable, the innermost first.
void sync_folders(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (i->is_directory() && !i->is_symlink()) sync_folders(i->path());
  if (error)
    throw Error(Blame::kEnvironment, fmt::format("cannot read {}: {}", folder.string(), system_reason(error.value())));
  sync_folder(folder);
}

/// What to say of a folder that has no manifest.
std::string why_no_checkpoint(const fs::path& folder) {
  if (!is_there(folder)) return "there is no such folder";
  if (!is_folder(folder)) return "it is a file";
  const auto inside = list_checkpoints(folder);
  if (!inside.empty())
    return fmt::format("it is the folder of a job; its newest checkpoint is {}", inside.back().path.string());
  return fmt::format("it has no {}", kManifestName);
}

}  // namespace

Manifest read_checkpoint(const fs::path& checkpoint) {
  const fs::path file = checkpoint / kManifestName;
  if (!is_file(file))
    throw Error(Blame::kUser, fmt::format("{} is not a checkpoint: {}", checkpoint.string(), why_no_checkpoint(checkpoint)));
  return parse_manifest(read_whole_file(file, kLargestManifest), file.string());
}

CheckpointWriter::CheckpointWriter(fs::path job_folder, Epoch epoch) : job_folder_(std::move(job_folder)), epoch_(epoch) {
  folder_ = job_folder_ / checkpoint_folder_name(epoch, CheckpointState::kCommitted);
  folder_ += kWritingSuffix;
  remove_all_of(folder_);
  make_folders(folder_);
}

CheckpointWriter::CheckpointWriter(CheckpointWriter&& o) noexcept
    : job_folder_(std::move(o.job_folder_)),
      folder_(std::move(o.folder_)),
      epoch_(o.epoch_),
      files_(std::move(o.files_)),
      open_(std::exchange(o.open_, false)) {}

CheckpointWriter::~CheckpointWriter() {
  if (!open_) return;
  std::error_code ignored;  // what stays is deleted at the next start
  fs::remove_all(folder_, ignored);
}

fs::path CheckpointWriter::place(const std::string& path) {
  const fs::path file = folder_ / path;
  make_folders(file.parent_path());
  return file;
}

void CheckpointWriter::add_bytes(const std::string& path, std::string_view bytes) {
  write_file_durably(place(path), bytes);
  files_.push_back({path, bytes.size(), FileChecksum::of(bytes)});
}

void CheckpointWriter::add_present(const std::string& path, const std::optional<std::string>& checksum) {
  const fs::path file = folder_ / path;
  const std::uint64_t size = size_of(file);
  if (!checksum) sync_file(file);
  files_.push_back({path, size, checksum ? *checksum : FileChecksum::of_file(file)});
}

void CheckpointWriter::add_all_of(const fs::path& checkpoint, const Manifest& manifest) {
  for (const ManifestFile& file : manifest.files) {
    const fs::path to = place(file.path);
    link_or_copy_file(checkpoint / file.path, to);
    if (const std::uint64_t size = size_of(to); size != file.size)
      throw Error(Blame::kRefused, fmt::format("checkpoint {} cannot be used: {} has {} bytes, expected {}",
                                               checkpoint.string(), file.path, size, file.size));
    files_.push_back(file);
  }
}

Manifest CheckpointWriter::prepare(Manifest manifest) {
  if (!open_ || manifest.id != epoch_)
    throw Error(Blame::kBug, fmt::format("checkpoint {} is not being written", manifest.id.value));
  manifest.files = files_;
  manifest.bytes = 0;
  for (const ManifestFile& file : files_) manifest.bytes += file.size;
  write_file_durably(folder_ / kManifestName, manifest_text(manifest));
  sync_folders(folder_);
  rename_durably(folder_, job_folder_ / checkpoint_folder_name(epoch_, CheckpointState::kPrepared));
  open_ = false;
  return manifest;
}

}  // namespace weir
