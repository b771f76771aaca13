#pragma once
#include <cstdint>
#include <string_view>

namespace weir {

/// The hash of a key's bytes that decides which task owns it: XXH3 of 64 bits, seed 0. Part of the checkpoint format.
std::uint64_t key_hash(std::string_view key);

/// Keys are dealt out to tasks by groups, so that another parallelism only deals the groups out anew. The number is part of
/// the checkpoint format.
inline constexpr int kKeyGroups = 128;

/// The group of a key: the highest seven bits of its hash.
constexpr std::uint8_t key_group(std::uint64_t hash) { return static_cast<std::uint8_t>(hash >> 57); }

/// The hash that finds a row in memory where its key is longer than what its key group is computed from: `hash`, of the
/// whole key, with the group in its highest seven bits. Rows of one group key then belong to one task, whatever is behind
/// it.
constexpr std::uint64_t hash_in_group(std::uint64_t hash, std::uint8_t group) {
  return (hash & ~std::uint64_t{0} >> 7) | std::uint64_t{group} << 57;
}

/// The groups `first` to `last` of one task.
struct KeyGroups {
  int first = 0, last = kKeyGroups - 1;
  bool operator==(const KeyGroups&) const = default;
  /// Those of task `task` of `tasks` (1 to 128): all tasks together own every group once, each about as many.
  static constexpr KeyGroups of_task(int task, int tasks) {
    return {task * kKeyGroups / tasks, (task + 1) * kKeyGroups / tasks - 1};
  }
};

}  // namespace weir
