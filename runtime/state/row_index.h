#pragma once
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/large_pages.h"
#include "runtime/state/key_group.h"
#include "runtime/state/key_memory.h"
#include "runtime/state/state_row.h"
#include "runtime/state/state_table_options.h"

namespace weir {

/// An open-addressing hash table of rows, with linear probing and deletion by shifting back (Knuth, vol. 3, 6.4, algorithm
/// R), so that there are no graves in it. Pointers to rows hold until the next insert or remove. Not thread-safe.
class RowIndex {
 public:
  RowIndex() = default;
  ~RowIndex();
  RowIndex(const RowIndex&) = delete;
  RowIndex& operator=(const RowIndex&) = delete;

  /// What a row takes of an index that has between 4/3 and 8/3 places for each, besides its key.
  static constexpr std::size_t kRowBytes = 2 * sizeof(StateRow);
  /// The hash of a key where its group is known: see state_table.h.
  static std::uint64_t hash(const StateTableOptions&, std::string_view key, std::uint8_t group) {
    return hash_in_group(key_hash(key), group);
  }
  static std::uint64_t hash(const StateTableOptions&, std::string_view key) { return key_hash(key); }

  std::size_t size() const { return size_; }
  /// Memory held, about.
  std::uint64_t bytes() const;
  StateRow* find(std::string_view key, std::uint64_t hash);
  /// The row whose key lies where `key` lies; nothing if it was removed.
  StateRow* find_same(std::string_view key, std::uint64_t hash);
  /// So large that its rows are not in the cache.
  bool large() const { return rows_.size() >= kLarge; }
  /// Asks for the memory at which find() of such a hash will begin to look, so that it is there some rows later.
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const {  // GCC drops calls of functions that do nothing else
    if (large()) __builtin_prefetch(&rows_[home(hash)]);
  }
  /// Most likely the row of which the hash is; asks for its key's memory. Nothing if it is not near its home, or the index
  /// is small.
  const StateRow* likely(std::uint64_t hash) const;
  /// Adds a row whose key is not there. Copies the key. Throws Error(kData) if it is longer than StateRow::kLongestKey.
  StateRow& insert(std::string_view key, std::uint64_t hash);
  void remove(StateRow* row);
  /// True if what is not here is nowhere: never known of single rows.
  static constexpr bool whole(std::string_view, std::uint64_t) { return false; }
  /// Marks a row until the next take_marked(); a removed row's mark goes with it.
  void mark(const StateRow& row);
  /// Calls `visit` for each marked row and takes the marks away: for a few changed rows among many. As for_each.
  template <typename F>
  void take_marked(F&& visit) {
    const auto each = [&](std::size_t word, auto&& what) {
      for (std::uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1)
        what(rows_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
    };
    for (std::size_t word = 0; word < marks_.size(); ++word) {
      if (word + kWordsAhead < marks_.size()) each(word + kWordsAhead, [](StateRow& row) { __builtin_prefetch(&row, 1); });
      each(word, visit);
      marks_[word] = 0;
    }
  }
  /// Calls `visit` for each row; it may change the row, not the index.
  template <typename F>
  void for_each(F&& visit) {
    for (StateRow& row : rows_)
      if (row.key_bytes) visit(row);
  }
  /// Removes at most `count` rows for which `choose` is true, going on where the last call stopped. Returns how many. Gives
  /// back places when few rows are left, and all memory with the last. It goes by runs of neighbours in the order of their
  /// reversed numbers: were it from end to end, the part that it comes to last would fill up while the part behind it is
  /// empty, and looking for a key there would take long.
  std::size_t sweep(std::size_t count, const std::function<bool(const StateRow&)>& choose);

 private:
  void resize(std::size_t places);
  bool is_marked(std::size_t i) const { return (marks_[i / 64] >> (i % 64) & 1) != 0; }
  void set_mark(std::size_t i, bool marked);
  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & (rows_.size() - 1); }
  void free_key(const StateRow& row) { keys_.free(row.key()); }
  void give_back_all();

  static constexpr std::size_t kWordsAhead = 4;   ///< of marks, whose rows are asked for
  static constexpr std::size_t kLarge = 1 << 16;  ///< places
  using Rows = std::vector<StateRow, LargePages<StateRow>>;
  Rows rows_;                         ///< a power of two of them, at most 3/4 in use; free: no key
  std::vector<std::uint64_t> marks_;  ///< a bit for each of rows_
  std::size_t size_ = 0, swept_ = 0;
  KeyMemory keys_;
};

}  // namespace weir
