#include "connectors/file/fingerprint.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstdio>

namespace weir {
namespace {

constexpr std::size_t kMostBytes = 4096;
constexpr std::string_view kOpen = " in quotes";

}  // namespace

FileFingerprint FileFingerprint::of(std::int64_t line, std::string_view read) {
  if (read.size() > kMostBytes) read.remove_prefix(read.size() - kMostBytes);
  return {line, static_cast<std::int64_t>(read.size()), XXH3_64bits(read.data(), read.size()), false};
}

std::optional<FileFingerprint> FileFingerprint::parse(std::string_view text) {
  FileFingerprint f;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "line %" SCNd64 ", %" SCNd64 " bytes %" SCNx64, &f.line, &f.bytes, &f.hash) != 3)
    return std::nullopt;
  if (f.line < 1 || f.bytes < 0 || f.bytes > static_cast<std::int64_t>(kMostBytes)) return std::nullopt;
  f.open = text.ends_with(kOpen);
  return f;
}

std::string FileFingerprint::text() const {
  return fmt::format("line {}, {} bytes {:016x}{}", line, bytes, hash, open ? kOpen : "");
}

}  // namespace weir
