#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// Identifies a record, so that a topic that was deleted and made again under the same name is noticed: its offset, its time
/// and a hash (XXH3) of its key and value. Kept in SplitState::fingerprint.
struct Fingerprint {
  std::int64_t offset = 0;
  std::int64_t timestamp = 0;  ///< milliseconds, as Kafka keeps it
  std::uint64_t hash = 0;
  bool operator==(const Fingerprint&) const = default;
};

/// Null (data() == nullptr) and empty differ.
std::uint64_t hash_record(std::string_view key, std::string_view value);

/// `120:1704067200000:9f3c…`
std::string to_text(const Fingerprint& fingerprint);
/// Nothing for any other text.
std::optional<Fingerprint> parse_fingerprint(std::string_view text);

}  // namespace weir
