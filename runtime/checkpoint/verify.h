#pragma once
#include <cstdint>
#include <filesystem>

#include "runtime/checkpoint/manifest.h"

namespace weir {

/// How closely a checkpoint is looked at. The manifest, and that all files are there with their sizes, is always checked.
enum class VerifyLevel {
  kSizes,     ///< no more than that
  kUpTo1GiB,  ///< checksums too, if all files together are at most 1 GiB
  kFull,      ///< checksums always
};

struct Verified {
  Manifest manifest;
  std::uint64_t files = 0, bytes = 0;
  bool checksums = false;  ///< whether the files were read
};

/// Verifies a checkpoint folder. Throws Error: kUser when it is none; kRefused when it is torn or was changed, naming file,
/// expected and found; kEnvironment when it cannot be read.
Verified verify_checkpoint(const std::filesystem::path& checkpoint, VerifyLevel level = VerifyLevel::kUpTo1GiB);

}  // namespace weir
