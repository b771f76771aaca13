#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/checkpoint/manifest.h"

namespace weir {

enum class CheckpointState {
  kPrepared,   ///< complete and durable; whether it counts is up to its authority
  kCommitted,  ///< renamed: it counts
};

/// A checkpoint that lies in a job's folder.
struct CheckpointEntry {
  Epoch epoch;
  CheckpointState state;
  std::filesystem::path path;
  bool operator==(const CheckpointEntry&) const = default;
};

/// `chk-000042` or `chk-000042.prepared`.
std::string checkpoint_folder_name(Epoch epoch, CheckpointState state);

/// The checkpoints in `<dir>/<job>`, by number; nothing is opened or locked. Throws Error: kUser when there is no such
/// folder, kEnvironment when it cannot be read.
std::vector<CheckpointEntry> list_checkpoints(const std::filesystem::path& job_folder);

/// Reads a checkpoint's manifest. Throws Error(kUser) when `checkpoint` is no checkpoint, kRefused when the manifest is
/// torn.
Manifest read_checkpoint(const std::filesystem::path& checkpoint);

/// Writes one checkpoint: files first, then prepare(). Nothing is visible under the checkpoint's name before. If it is
/// destroyed before prepare(), what was written is deleted.
///
/// Paths in the checkpoint are relative to its folder (`state/000012.sst`); folders are made as needed. Not thread-safe;
/// calls block (files, fsync). Failures (disk full, rights) throw Error(kEnvironment) with the path.
class CheckpointWriter {
 public:
  CheckpointWriter(CheckpointWriter&&) noexcept;
  ~CheckpointWriter();

  /// Where files are written until prepare(). A state store writes its checkpoint below it, then add_present() lists its
  /// files.
  const std::filesystem::path& folder() const { return folder_; }
  /// Writes a file with these bytes.
  void add_bytes(const std::string& path, std::string_view bytes);
  /// Lists a file that was put below folder(). `checksum`: of a file that is durable already; without it the file is read
  /// and synced.
  void add_present(const std::string& path, const std::optional<std::string>& checksum = {});
  /// Takes over all files of a checkpoint for a claim, hard-linked, or copied where it lies on another file system; their
  /// sizes must be as its manifest says, checksums are taken over from there.
  void add_all_of(const std::filesystem::path& checkpoint, const Manifest& manifest);

  /// Writes the manifest with `files` and `bytes` filled in, makes everything durable and gives it the name
  /// `chk-%06d.prepared`. Returns the manifest as written. `manifest.id` must be the writer's.
  Manifest prepare(Manifest manifest);

 private:
  friend class CheckpointFolder;
  CheckpointWriter(std::filesystem::path job_folder, Epoch epoch);
  std::filesystem::path place(const std::string& path);
  std::filesystem::path job_folder_, folder_;
  Epoch epoch_;
  std::vector<ManifestFile> files_;
  bool open_ = true;
};

/// Eight hexadecimal digits made from the absolute path of a job's checkpoint folder: another folder has others.
std::string home_of(const std::filesystem::path& folder);

/// The folder `<dir>/<job>` of a running job: LOCK, checkpoints, the live database.
///
/// Crash-safe at any point: a checkpoint is there completely or not at all; one that is being deleted loses its name first.
/// Not thread-safe; calls block. Failures throw Error(kEnvironment) with the path.
class CheckpointFolder {
 public:
  /// Makes the folder if needed and locks it. A folder locked by another process is Error(kRefused) that names its pid.
  /// Deletes what a crash left: `work-*`, checkpoints half written or half deleted.
  CheckpointFolder(const std::filesystem::path& dir, const std::string& job);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string home() const { return home_of(path_); }
  /// All checkpoints by number, prepared and committed.
  std::vector<CheckpointEntry> list() const { return list_checkpoints(path_); }
  /// Where checkpoint `epoch` lies in this state.
  std::filesystem::path path_of(Epoch epoch, CheckpointState state) const;
  /// `work-<run>`, for the live database. Not made here; what exists of another run was deleted at the start.
  std::filesystem::path work_folder(const RunId& run) const;

  /// 1 + the largest number seen here in any form, in the marker and in `also` (the checkpoint restored from elsewhere,
  /// pending part files). Call it before anything is deleted.
  Epoch next_epoch(const std::optional<Marker>& marker, std::span<const Epoch> also = {}) const;

  /// Begins to write a checkpoint. Its number must not be in use.
  CheckpointWriter begin(Epoch epoch);
  /// Makes a prepared checkpoint a committed one, durably. Repeatable: does nothing when that was done already.
  void commit(Epoch epoch);
  /// Deletes a prepared checkpoint; nothing happens when there is none.
  void delete_prepared(Epoch epoch);
  /// Deletes committed checkpoints that expired_checkpoints (retention.h) names. Call it after commit(). Returns their
  /// numbers.
  std::vector<Epoch> expire(int retain);

 private:
  void lock();
  void keep_lock();
  void clean();  ///< also finds highest_
  void remove(const std::filesystem::path& checkpoint);
  std::filesystem::path path_;
  Epoch highest_;  ///< the largest number seen at the start or begun since
  int lock_ = -1;
  struct Kept;  ///< what retention needs to know of the committed checkpoints, read once
  std::unique_ptr<Kept> kept_;
};

}  // namespace weir
