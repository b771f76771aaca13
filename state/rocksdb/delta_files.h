#pragma once
#include <rocksdb/options.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/state/table_delta.h"
#include "state/rocksdb/database_options.h"

namespace weir {

/// A file ready to be ingested.
struct DeltaFile {
  std::filesystem::path path;
  std::string checksum, checksum_name;
};

/// Merges the sorted deltas of one table into a file `<prefix>-0.sst` in `folder`; beyond `largest` bytes into several,
/// which must be ingested together in this order: all ranges are in the first. No files if the deltas are empty. Durable
/// only after ingestion. Throws Error.
std::vector<DeltaFile> write_delta_files(const std::vector<TableDelta>& deltas, const DatabaseOptions& options,
                                         const std::filesystem::path& folder, const std::string& prefix,
                                         std::uint64_t largest);

}  // namespace weir
