#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/checkpoint/folder.h"

namespace weir {

/// What a name in a job's folder stands for.
enum class FolderItem {
  kCheckpoint,  ///< `chk-000042`, `chk-000042.prepared`
  kUnfinished,  ///< `chk-000042.writing`, `chk-000042.deleting`: what a crash left; deleted at the start
  kWork,        ///< `work-<run>`: a live database; deleted at the start
  kOther,       ///< not ours: left alone
};

struct FolderName {
  FolderItem item = FolderItem::kOther;
  Epoch epoch{};                                        ///< kCheckpoint, kUnfinished
  CheckpointState state = CheckpointState::kCommitted;  ///< kCheckpoint
};

/// Reads the name of a file or folder in a job's folder. Pure; any text may be given.
FolderName parse_folder_name(std::string_view name);

inline constexpr std::string_view kWritingSuffix = ".writing";
inline constexpr std::string_view kDeletingSuffix = ".deleting";
inline constexpr std::string_view kWorkPrefix = "work-";

}  // namespace weir
