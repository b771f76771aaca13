#pragma once
#include <rocksdb/status.h>

#include <filesystem>
#include <string_view>

namespace weir {

/// Throws an Error unless `status` is ok: kRefused for what is damaged, kEnvironment for what the disk or the system did.
/// `what`: what was tried, as in "cannot read /…/work-b1f0".
void check_status(const rocksdb::Status& status, std::string_view what, const std::filesystem::path& path);

}  // namespace weir
