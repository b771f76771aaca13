#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// What a split of a file knows about the bytes before its `next`, kept as SplitState::fingerprint: `line 17, 40 bytes
/// 89ab…`.
struct FileFingerprint {
  std::int64_t line = 1;   ///< the line of `next`, from 1
  std::int64_t bytes = 0;  ///< how many bytes before `next` the hash is of
  std::uint64_t hash = 0;  ///< XXH3
  bool open = false;       ///< `next` was the end, and within a quote of csv; written as `… in quotes`

  /// `read` ends at `next`; at most its last 4096 bytes count.
  static FileFingerprint of(std::int64_t line, std::string_view read);
  static std::optional<FileFingerprint> parse(std::string_view text);
  std::string text() const;
  bool operator==(const FileFingerprint&) const = default;
};

}  // namespace weir
