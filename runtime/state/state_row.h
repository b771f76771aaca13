#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/state/state_values.h"

namespace weir {

/// What a row in memory has to do with the one on the disk.
enum class RowState : std::uint32_t {
  kClean,     ///< the same; may be forgotten
  kDirty,     ///< changed since the last barrier
  kInFlight,  ///< unchanged since the last barrier, its delta is not ingested yet
};

/// A row of a window: its key, and where its value is. The key lies in memory of the index, at the same place for life.
/// 24 bytes, since there may be millions in an index that is half empty.
struct StateRow {
  const char* key_bytes;
  std::uint64_t hash;
  StateSlot slot;  ///< nothing if deleted
  std::uint32_t key_size : 28;
  RowState state : 2;
  bool deleted : 1;  ///< a tombstone: the key is gone, whatever the disk says
  bool stored : 1;   ///< the disk holds the key, or will with the delta in flight

  static constexpr std::size_t kLongestKey = (std::size_t{1} << 28) - 1;
  std::string_view key() const { return {key_bytes, key_size}; }
};

}  // namespace weir
