#include "runtime/checkpoint/verify.h"

#include <system_error>

#include "runtime/base/system_failure.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/state/file_checksum.h"

namespace weir {
namespace {

constexpr std::uint64_t kGiB = 1ull << 30;

[[noreturn]] void refuse(const std::filesystem::path& checkpoint, const std::string& reason) {
  throw Error(Blame::kRefused, fmt::format("checkpoint {} cannot be used: {}", checkpoint.string(), reason));
}

void check_size(const std::filesystem::path& checkpoint, const ManifestFile& file) {
  std::error_code error;
  const auto path = checkpoint / file.path;
  const auto status = std::filesystem::symlink_status(path, error);  // a link may lead anywhere
  if (status.type() == std::filesystem::file_type::not_found) refuse(checkpoint, fmt::format("{} is missing", file.path));
  if (error)
    throw Error(Blame::kEnvironment, fmt::format("cannot read {}: {}", path.string(), system_reason(error.value())));
  if (!std::filesystem::is_regular_file(status)) refuse(checkpoint, fmt::format("{} is not a file", file.path));
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error)
    throw Error(Blame::kEnvironment, fmt::format("cannot read {}: {}", path.string(), system_reason(error.value())));
  if (size != file.size) refuse(checkpoint, fmt::format("{} has {} bytes, expected {}", file.path, size, file.size));
}

void check_sum(const std::filesystem::path& checkpoint, const ManifestFile& file) {
  const std::string found = FileChecksum::of_file(checkpoint / file.path);
  if (found != file.checksum)
    refuse(checkpoint, fmt::format("{} was changed: its checksum is {}, expected {}", file.path, found, file.checksum));
}

}  // namespace

Verified verify_checkpoint(const std::filesystem::path& checkpoint, VerifyLevel level) {
  Verified verified{read_checkpoint(checkpoint)};
  for (const ManifestFile& file : verified.manifest.files) {
    check_size(checkpoint, file);
    ++verified.files;
    verified.bytes += file.size;
  }
  verified.checksums = level == VerifyLevel::kFull || (level == VerifyLevel::kUpTo1GiB && verified.bytes <= kGiB);
  if (!verified.checksums) return verified;
  for (const ManifestFile& file : verified.manifest.files) check_sum(checkpoint, file);
  return verified;
}

}  // namespace weir
