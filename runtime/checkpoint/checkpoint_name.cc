#include "runtime/checkpoint/checkpoint_name.h"

#include <charconv>

namespace weir {
namespace {

constexpr std::string_view kPrefix = "chk-";
constexpr std::string_view kPreparedSuffix = ".prepared";

}  // namespace

std::string checkpoint_folder_name(Epoch epoch, CheckpointState state) {
  return fmt::format("{}{:06}{}", kPrefix, epoch.value,
                     state == CheckpointState::kPrepared ? kPreparedSuffix : std::string_view());
}

FolderName parse_folder_name(std::string_view name) {
  if (name.starts_with(kWorkPrefix)) return {FolderItem::kWork};
  if (!name.starts_with(kPrefix)) return {};
  Epoch epoch;
  const std::string_view digits = name.substr(kPrefix.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch.value);
  // Only the name that checkpoint_folder_name gives: `chk-7` beside `chk-000007` would be a second checkpoint of that
  // number.
  const auto suffix = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (error != std::errc() || epoch.value == 0) return {};
  if (name.substr(0, name.size() - suffix.size()) != checkpoint_folder_name(epoch, CheckpointState::kCommitted)) return {};
  if (suffix.empty()) return {FolderItem::kCheckpoint, epoch, CheckpointState::kCommitted};
  if (suffix == kPreparedSuffix) return {FolderItem::kCheckpoint, epoch, CheckpointState::kPrepared};
  if (suffix == kWritingSuffix || suffix == kDeletingSuffix) return {FolderItem::kUnfinished, epoch};
  return {};
}

}  // namespace weir
