#include "state/status.h"

#include "runtime/base/error.h"

namespace weir {

void check_status(const rocksdb::Status& status, std::string_view what, const std::filesystem::path& path) {
  if (status.ok()) return;
  if (status.IsCorruption())
    throw Error(Blame::kRefused,
                fmt::format("cannot {} {}: it is damaged; start from another checkpoint with --from; found: {}", what,
                            path.string(), status.ToString()));
  if (status.IsInvalidArgument() || status.IsNotSupported())
    throw Error(Blame::kBug, fmt::format("cannot {} {}: {}", what, path.string(), status.ToString()));
  throw Error(Blame::kEnvironment, fmt::format("cannot {} {}: {}{}", what, path.string(), status.ToString(),
                                               status.IsNoSpace() ? "; make space on that disk" : ""));
}

}  // namespace weir
