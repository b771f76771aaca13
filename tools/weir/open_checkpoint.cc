#include "tools/weir/open_checkpoint.h"

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/checkpoint/verify.h"
#include "runtime/state/file_checksum.h"
#include "state/rocksdb/rocksdb_stores.h"

namespace weir {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& reason) {
  throw Error(Blame::kRefused, fmt::format("{}; `weir checkpoints verify {}` looks at all of it", reason, folder.string()));
}

/// The blocks of tables have checksums of their own, which are compared when they are read.
bool is_table(const ManifestFile& file) { return file.path.ends_with(".sst"); }

Manifest read_whole_manifest(const std::filesystem::path& folder) {
  (void)read_checkpoint(folder);  // its own words where it is torn
  try {
    Manifest manifest = verify_checkpoint(folder, VerifyLevel::kSizes).manifest;
    for (const ManifestFile& file : manifest.files) {
      if (is_table(file)) continue;
      const std::string found = FileChecksum::of_file(folder / file.path);
      if (found != file.checksum)
        throw Error(Blame::kRefused,
                    fmt::format("checkpoint {} cannot be used: {} was changed: its checksum is {}, expected {}",
                                folder.string(), file.path, found, file.checksum));
    }
    return manifest;
  } catch (const Error& e) {
    if (e.blame() != Blame::kRefused) throw;
    refuse(folder, e.text());
  }
}

}  // namespace

OpenCheckpoint::OpenCheckpoint(const std::filesystem::path& folder)
    : folder_(folder), manifest_(read_whole_manifest(folder)) {
  const auto is_state = [](const ManifestFile& f) { return f.path == "state/CURRENT"; };
  if (std::any_of(manifest_.files.begin(), manifest_.files.end(), is_state))
    reader_ = make_rocksdb_stores()->read(folder_ / "state");
}

std::unique_ptr<StateCursor> OpenCheckpoint::scan(const std::string& step, const ManifestTable& table) const {
  const auto& dropped = manifest_.dropped_steps;
  if (std::find(dropped.begin(), dropped.end(), step) != dropped.end()) return nullptr;
  const std::string name = step + "/" + table.name;
  const std::vector<std::string> names = reader_ ? reader_->tables() : std::vector<std::string>();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return reader_->scan({static_cast<std::uint32_t>(at - names.begin())});
  if (table.rows == 0) return nullptr;
  refuse(folder_, fmt::format("checkpoint {} is damaged: its state has no table {}, of which the manifest counts {} rows",
                              folder_.string(), name, table.rows));
}

}  // namespace weir
