#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/state/key_memory.h"
#include "runtime/state/state_row.h"
#include "runtime/state/state_table_options.h"

namespace weir {

/// The rows of a window in sets: rows of one hash, sorted by key. The hash is that of what a set's keys begin with, so it
/// finds the set; sets of equal hashes lie in one, one behind the other, which nobody notices.
///
/// A set is a row of sorted chunks, of which each row is in one piece, so that a change moves a few kilobytes however large
/// the set is. Pointers to rows and positions hold until the next insert or remove. Not thread-safe.
class SetIndex {
 public:
  SetIndex() = default;
  ~SetIndex();
  SetIndex(const SetIndex&) = delete;
  SetIndex& operator=(const SetIndex&) = delete;

  /// What a row takes of an index whose chunks are about three quarters full, and its part of a set of some rows.
  static constexpr std::size_t kRowBytes = 2 * sizeof(StateRow);
  /// The hash of what a key begins with, which is the set's.
  static std::uint64_t hash(const StateTableOptions& options, std::string_view key, std::uint8_t = 0);

  std::size_t size() const { return size_; }  ///< rows
  /// Memory held, about.
  std::uint64_t bytes() const { return bytes_ + keys_.bytes() + places_.capacity() * sizeof(Place); }
  StateRow* find(std::string_view key, std::uint64_t hash);
  /// The row whose key lies where `key` lies; nothing if it is another.
  StateRow* find_same(std::string_view key, std::uint64_t hash);
  static constexpr bool large() { return false; }  ///< a lookup follows pointers: there is nothing to prefetch
  static constexpr void prefetch(std::uint64_t) {}
  static constexpr const StateRow* likely(std::uint64_t) { return nullptr; }
  /// Adds a row whose key is not there. Copies the key. Throws Error(kData) if it is longer than StateRow::kLongestKey.
  StateRow& insert(std::string_view key, std::uint64_t hash);
  void remove(StateRow* row);

  /// Marks a row, which is dirty, until the next take_marked(); a removed row's mark goes with it.
  void mark(const StateRow& row);
  /// Calls `visit` for each marked row that is still dirty, and takes the marks away.
  template <typename F>
  void take_marked(F&& visit) {
    for (const std::uint64_t hash : marked_) {
      Set* set = set_of(hash);
      if (!set) continue;
      set->marked = false;
      for (Chunk& chunk : set->chunks) {
        if (!std::exchange(chunk.marked, false)) continue;
        for (StateRow& row : chunk.rows)
          if (row.state == RowState::kDirty) visit(row);
      }
    }
    marked_.clear();
  }
  /// Calls `visit` for each row; it may change the row, not the index.
  template <typename F>
  void for_each(F&& visit) {
    for (const Place& place : places_)
      if (place.set)
        for (Chunk& chunk : place.set->chunks)
          for (StateRow& row : chunk.rows) visit(row);
  }
  /// Removes at most `count` rows for which `choose` is true, set by set, going on where the last call stopped. Returns how
  /// many. What it removes from is no longer whole.
  std::size_t sweep(std::size_t count, const std::function<bool(const StateRow&)>& choose);

  /// True if all rows of the set that `key` belongs to are here: what is not is nowhere.
  bool whole(std::string_view key, std::uint64_t hash) const;
  /// All rows whose keys begin with `prefix`, which have this hash, are here. Remembered while there is one.
  void set_whole(std::string_view prefix, std::uint64_t hash);

  /// A place in a set.
  struct Position {
    const void* set = nullptr;
    std::size_t chunk = 0, row = 0;
  };
  /// The first row of the hash whose key is not less.
  Position lower_bound(std::string_view key, std::uint64_t hash) const;
  /// The row at a position, null behind the last one of its set.
  const StateRow* at(const Position& position) const;
  void next(Position& position) const;

 private:
  struct Chunk {
    std::vector<StateRow> rows;  ///< sorted, never empty
    bool marked = false;         ///< rows of it may be
  };
  struct Set {
    std::vector<Chunk> chunks;  ///< sorted, never empty
    std::string whole_prefix;   ///< if whole
    bool whole = false, marked = false;
  };
  struct Place {
    std::uint64_t hash = 0;
    std::unique_ptr<Set> set;
  };
  /// What the heap adds to a vector.
  static constexpr std::size_t kChunkRows = 128, kHeap = 16;
  static constexpr std::size_t kSetBytes = sizeof(Set) + sizeof(Chunk) + 3 * kHeap;

  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & (places_.size() - 1); }
  Place* place_of(std::uint64_t hash);
  Set* set_of(std::uint64_t hash) const;
  Set& make_set(std::uint64_t hash);
  void resize(std::size_t places);
  void remove_place(Place* place);
  std::size_t chunk_of(const Set& set, std::string_view key) const;
  void split(Set& set, std::size_t chunk, bool at_end);
  void remove_chunk(Set& set, std::size_t chunk);
  void join_with_next(Set& set, std::size_t chunk);
  std::size_t sweep_set(Set& set, std::size_t count, const std::function<bool(const StateRow&)>& choose);

  std::vector<Place> places_;          ///< open addressing with linear probing: a power of two of them, at most 3/4 in use
  std::vector<std::uint64_t> marked_;  ///< sets with marked chunks, and such that are gone
  KeyMemory keys_;
  std::size_t size_ = 0, sets_ = 0, swept_ = 0;
  std::uint64_t bytes_ = 0;  ///< of sets and their chunks
};

}  // namespace weir
