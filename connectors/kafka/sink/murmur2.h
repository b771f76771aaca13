#pragma once
#include <cstdint>
#include <string_view>

namespace weir {

/// MurmurHash2 of a key's bytes as Kafka's Java clients compute it (org.apache.kafka.common.utils.Utils.murmur2).
std::uint32_t murmur2(std::string_view key);

/// The partition that Java clients choose for a key: the hash without its sign, modulo `partitions` (> 0).
inline std::int32_t partition_of_key(std::string_view key, std::int32_t partitions) {
  return static_cast<std::int32_t>(murmur2(key) & 0x7fffffffu) % partitions;
}

}  // namespace weir
