#include "connectors/kafka/sink/murmur2.h"

namespace weir {

std::uint32_t murmur2(std::string_view key) {
  constexpr std::uint32_t kSeed = 0x9747b28c, kMultiplier = 0x5bd1e995;
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(key.size());
  const char* p = key.data();
  std::size_t left = key.size();
  for (; left >= 4; p += 4, left -= 4) {
    std::uint32_t k;
    std::memcpy(&k, p, 4);
    k *= kMultiplier;
    k ^= k >> 24;
    k *= kMultiplier;
    hash = hash * kMultiplier ^ k;
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
  if (left == 3) hash ^= byte(2) << 16;
  if (left >= 2) hash ^= byte(1) << 8;
  if (left >= 1) {
    hash ^= byte(0);
    hash *= kMultiplier;
  }
  hash ^= hash >> 13;
  hash *= kMultiplier;
  return hash ^ hash >> 15;
}

}  // namespace weir
