#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace weir {

/// A partition of a topic.
struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;
  auto operator<=>(const TopicPartition&) const = default;
};

}  // namespace weir
