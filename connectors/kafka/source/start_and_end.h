#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/config/config.h"

namespace weir {

/// Offsets per topic and partition as written. The topic is "" where only partitions were named.
struct WrittenOffsets {
  std::map<std::string, std::map<std::int32_t, std::int64_t>> topics;

  std::optional<std::int64_t> find(const std::string& topic, std::int32_t partition) const;
};

/// `start`: where a split begins that no checkpoint knows.
struct StartRule {
  enum class Kind { kEarliest, kLatest, kCommitted, kTimestamp, kOffsets };
  /// What holds for a partition for which the group has committed nothing.
  enum class Fallback { kFail, kEarliest, kLatest };

  Kind kind = Kind::kEarliest;
  Fallback fallback = Fallback::kFail;
  Timestamp time;
  WrittenOffsets offsets;  ///< partitions not named: earliest
};

/// `end`: where a split ends, exclusive.
struct EndRule {
  enum class Kind { kNone, kLatest, kTimestamp, kOffsets };

  Kind kind = Kind::kNone;
  Timestamp time;
  WrittenOffsets offsets;  ///< partitions not named: latest
};

ConfigField start_field();
ConfigField end_field();

/// Which topics a source reads, for `start` and `end`.
struct WrittenTopics {
  bool one = false;  ///< it names one topic, so partitions alone are enough
  std::function<bool(const std::string& topic)> reads;
  std::vector<std::string> names;  ///< of the topics, for hints; empty with a pattern
};

/// Read the fields of a source. Problems are reported.
StartRule read_start(const Config& source, const WrittenTopics& topics, Diagnostics& diagnostics);
EndRule read_end(const Config& source, const WrittenTopics& topics, Diagnostics& diagnostics);

}  // namespace weir
