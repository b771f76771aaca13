#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/checkpoint/manifest.h"
#include "runtime/state/state_store.h"

namespace weir {

/// A checkpoint that is read where it lies, without its job: what its manifest says, and its state.
class OpenCheckpoint {
 public:
  /// Looks whether all files are there with their sizes; the small ones, which say what the others are, are read through (a
  /// store whose list of files is cut off would look like one with fewer rows). Throws Error: kUser for what is no
  /// checkpoint; kRefused, naming the file and what was found, for what is damaged.
  explicit OpenCheckpoint(const std::filesystem::path& folder);

  const Manifest& manifest() const { return manifest_; }
  /// The rows of a step's table, sorted by key. Null where there are none: the table is new, or a claim gave its state up
  /// (`--drop-state`), though its files are still linked. Throws Error(kRefused) where the manifest counts rows that are not
  /// there.
  std::unique_ptr<StateCursor> scan(const std::string& step, const ManifestTable& table) const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
  std::unique_ptr<StateReader> reader_;  ///< null where the checkpoint has no state
};

}  // namespace weir
