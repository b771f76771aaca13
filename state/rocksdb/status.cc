#include "state/rocksdb/status.h"

#include <cerrno>

#include "runtime/base/system_failure.h"

namespace weir {
namespace {

/// RocksDB keeps the system's reason as text only.
std::string hint(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  for (const int error : {ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM}) {
    const std::string reason = std::generic_category().message(error);
    if (text.find(reason) != std::string::npos) return system_reason(error).substr(reason.size());
  }
  return status.IsNoSpace() ? "; make space on that disk" : "";
}

}  // namespace

void check_status(const rocksdb::Status& status, std::string_view what, const std::filesystem::path& path) {
  if (status.ok()) return;
  if (status.IsCorruption())
    throw Error(Blame::kRefused,
                fmt::format("cannot {} {}: it is damaged; start from another checkpoint with --from; found: {}", what,
                            path.string(), status.ToString()));
  if (status.IsInvalidArgument() || status.IsNotSupported())
    throw Error(Blame::kBug, fmt::format("cannot {} {}: {}", what, path.string(), status.ToString()));
  throw Error(Blame::kEnvironment, fmt::format("cannot {} {}: {}{}", what, path.string(), status.ToString(), hint(status)));
}

}  // namespace weir
