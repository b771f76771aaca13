#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/state/key_group.h"
#include "runtime/state/row_index.h"
#include "runtime/state/state_budget.h"
#include "runtime/state/state_store.h"
#include "runtime/state/state_table_options.h"
#include "runtime/state/state_values.h"
#include "runtime/state/table_memory.h"

namespace weir {

/// A window of a table, which may be anything that names a part of its rows: a namespace.
struct StateWindow {
  struct Neighbours {
    StateWindow *before = nullptr, *behind = nullptr;
  };
  std::string name;
  /// The store must be asked about rows that are not in memory: the window was there when the table was opened, or rows of
  /// it were forgotten. Before, all its rows are in memory, and the store may still hold those of a dropped window of the
  /// same name.
  bool ask_store = false;
  bool stored = false;   ///< a drop must delete on the disk: rows are there, or will be with the delta in flight
  bool dropped = false;  ///< kept only for its rows in flight
  std::size_t in_flight = 0, clean = 0;
  Neighbours with_clean{}, with_dirty{}, bare{};  ///< in the rings of windows
};

/// Windows that were dropped since a freeze. Bytewise, and as ranges of names where nothing else is between.
struct DroppedWindows {
  std::set<std::string, std::less<>> names{};
  std::optional<std::pair<std::string, std::string>> range{};  ///< the first and the last of it

  bool empty() const { return names.empty() && !range; }
  void add_to_range(std::string_view name);
  /// If the window is one of them: the last one, as far as is known, of those behind it that are too.
  const std::string* through(std::string_view name) const;
};

/// The rows of a table that are in flight. Holds for the life of the table until StateTable::ingested.
class FrozenRows {
 public:
  Epoch epoch() const { return epoch_; }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty() && dropped_.empty(); }
  /// Makes the delta, sorted. May run on another thread beside the table's own.
  TableDelta encode() const;

 private:
  template <typename Index>
  friend class BasicStateTable;
  /// A row as it was at the barrier of the epoch in flight.
  struct Row {
    StateWindow* window;
    std::string_view key;  ///< in the memory of the window's index
    std::uint64_t hash;
    StateSlot slot;
    bool deleted;
  };
  Epoch epoch_;
  const StateTableOptions* options_ = nullptr;
  const StateValues* values_ = nullptr;
  std::vector<Row> rows_;
  DroppedWindows dropped_;
};

/// The rows of one task's share of a state table, in front of the store (README.md, the delta rule).
///
/// Rows are grouped by window and known by their key. The hash of a row, `hash` below, is key_hash() of its key, or
/// hash_in_group() where the key group is computed from a part of the key; a row's hash is always the same. A row in memory
/// is clean, dirty or in flight. freeze() puts all dirty rows in flight at a barrier; a change to one of them makes a dirty
/// copy and leaves the frozen value alone. When the epoch's delta is ingested, ingested() makes clean what was not changed
/// since. What is deleted stays as a tombstone and a dropped window is remembered, until the delta that says so is ingested;
/// both are asked before the store. A window without rows in memory need not be in memory either: the store says whether it
/// is there.
///
/// Invariants: (1) a row that is not in memory is on the disk as it should be, or nowhere; (2) slots in flight are neither
/// changed nor given away; (3) at most one epoch is in flight. Owned by the task's thread; only FrozenRows::encode runs
/// elsewhere. `store` and `values` outlive the table.
template <typename Index>
class BasicStateTable {
 public:
  /// Begins with what the store holds for the table's key groups.
  BasicStateTable(const StateTableOptions& options, const StateReader& store, StateValues& values);
  ~BasicStateTable();
  BasicStateTable(const BasicStateTable&) = delete;
  BasicStateTable& operator=(const BasicStateTable&) = delete;

  /// A row that may be changed until the next freeze.
  struct Touched {
    StateSlot slot;
    bool created;  ///< it is new: its value was reset
  };
  /// Finds a row or makes it, reading it from the store where it is not in memory, and marks it dirty.
  Touched touch(std::string_view window, std::string_view key) { return touch(window, key, Index::hash(options_, key)); }
  Touched touch(std::string_view window, std::string_view key, std::uint64_t hash);
  /// Called before the row of hashes[next] is touched, for each row of a batch: asks for the memory that touching the next
  /// ones will read. Returns the slot of one of them, for whose value the owner may ask; nothing where it is not known.
  std::optional<StateSlot> look_ahead(std::string_view window, std::span<const std::uint64_t> hashes, std::size_t next) {
    return recent_ && recent_->index.large() ? look_into(window, hashes, next) : std::nullopt;
  }
  /// Finds a row, for reading until the next call; nothing if there is none.
  const StateSlot* find(std::string_view window, std::string_view key) {
    return find(window, key, Index::hash(options_, key));
  }
  const StateSlot* find(std::string_view window, std::string_view key, std::uint64_t hash);
  /// Deletes a row; nothing happens if there is none.
  void erase(std::string_view window, std::string_view key) { erase(window, key, Index::hash(options_, key)); }
  void erase(std::string_view window, std::string_view key, std::uint64_t hash);
  /// Drops a window with all its rows. Windows that are dropped in order, each being first_window(), are one range on the
  /// disk if the table has all key groups.
  void drop(std::string_view window);
  /// Reads all rows whose keys begin with `prefix`, a row set's key: what is not in memory then is nowhere, until rows of it
  /// are forgotten.
  void load_set(std::string_view window, std::string_view prefix) requires requires(Index& index) {
    index.set_whole({}, 0);
  };
  /// Calls `visit` for every row of a window, from memory and store, in no order. It may not change the table.
  void for_each(std::string_view window, const std::function<void(std::string_view key, StateSlot slot)>& visit);
  /// The first window, in bytewise order, that may have rows. Asked again it costs nothing until that one is dropped.
  const std::optional<std::string>& first_window();
  /// The first one behind `window`. May ask the store.
  std::optional<std::string> next_window(std::string_view window) const;

  /// Puts all dirty rows in flight: the table's part in epoch `epoch`. Throws Error(kBug) while another is in flight.
  std::shared_ptr<const FrozenRows> freeze(Epoch epoch);
  /// The delta of the epoch in flight is ingested.
  void ingested(Epoch epoch);

  /// Forgets at most `count` clean rows; the store has them. Returns how many. Windows without rows in memory are forgotten
  /// too.
  std::size_t evict(std::size_t count);

  std::size_t rows() const { return slots_used_; }  ///< values in memory, frozen ones too
  std::size_t dirty() const { return dirty_; }
  std::size_t in_flight() const;
  /// What the rows cost, `slot_bytes` being the fixed size of a value. What their deltas will cost is known from values that
  /// were touched: one is encoded at each call, large ones less often.
  StateMemory memory(std::uint64_t slot_bytes);
  /// Reads of single rows that the store was asked for.
  std::uint64_t store_reads() const { return store_reads_; }

 private:
  friend class WindowScan;
  friend class RowSetScan;
  struct Window : StateWindow {
    Index index;
  };
  /// With its place in the map, and what the heap adds to it and to a small index.
  static constexpr std::uint64_t kWindowBytes = sizeof(Window) + 208;
  static constexpr std::uint64_t kSmallIndexBytes = 4 * sizeof(StateRow) + 64;
  /// Some of the windows: those with clean or with dirty rows need not be looked for among a million.
  class Ring {
   public:
    explicit Ring(StateWindow::Neighbours StateWindow::*place) : place_(place) {}
    Window* next() const { return static_cast<Window*>(next_); }
    bool has(const StateWindow& window) const { return (window.*place_).before != nullptr; }
    void add(StateWindow& window);
    void remove(StateWindow& window);

   private:
    StateWindow::Neighbours StateWindow::*const place_;
    StateWindow* next_ = nullptr;
  };

  std::optional<StateSlot> look_into(std::string_view window, std::span<const std::uint64_t> hashes, std::size_t next);
  Window* in_memory(std::string_view name);
  Window* find_window(std::string_view name);
  Window& window(std::string_view name);
  Window& add_window(std::string_view name, bool stored);
  void forget_bare();
  void note_bare(Window& window);
  /// `in`: the window if it is in memory; it is, afterwards, if the row is.
  StateRow* load(Window*& in, std::string_view name, std::string_view key, std::uint64_t hash);
  StateRow& insert(Window& window, std::string_view key, std::uint64_t hash);
  void make_dirty(Window& window, StateRow& row);
  void make_clean(Window& window, StateRow& row);
  void no_longer_clean(Window& window, std::size_t rows);
  StateRow& take_stored(Window& window, std::string_view key, std::uint64_t hash, std::string_view value);
  void forget(Window& window, StateRow* row);
  void settle(const FrozenRows::Row& frozen);
  StateSlot take_slot();
  void give_back(StateSlot slot);
  const std::string* dropped_through(std::string_view name) const;
  std::optional<std::string> window_from(std::string name) const;
  std::optional<std::string> stored_from(std::string name, const std::string* before) const;

  const StateTableOptions options_;
  const StateReader& store_;
  StateValues& values_;
  TableMemory memory_;
  std::map<std::string, std::unique_ptr<Window>, std::less<>> windows_;
  Ring with_clean_{&StateWindow::with_clean};
  Ring with_dirty_{&StateWindow::with_dirty};  ///< or with such that were deleted since
  Ring bare_{&StateWindow::bare};              ///< those without rows in memory
  bool elsewhere_ = false;                     ///< the store may have windows that are not in memory
  std::optional<std::string> first_{};         ///< first_window(), if first_known_
  bool first_known_ = false;
  std::string passed_;                            ///< no window is there up to this one; nothing if that is not known
  Window* recent_ = nullptr;                      ///< the window asked for last
  bool missing_ = false;                          ///< the key looked for last is not in the store:
  std::string missed_in_, missed_;                ///< its window, and it. Whoever looks for a row often makes it next
  std::vector<std::unique_ptr<Window>> retired_;  ///< dropped while rows of theirs are in flight
  DroppedWindows dropped_;                        ///< since the last freeze, where the store may hold rows
  std::shared_ptr<const FrozenRows> frozen_;
  std::vector<StateSlot> free_slots_;
  std::uint32_t slots_ = 0, fresh_ = 0;  ///< slots there are; the first that was never given out
  std::size_t slots_used_ = 0, dirty_ = 0;
  std::uint64_t store_reads_ = 0;
  std::uint64_t index_bytes_ = 0;  ///< of all windows, also of those retired
};

/// A table whose rows are found one by one.
using StateTable = BasicStateTable<RowIndex>;

extern template class BasicStateTable<RowIndex>;

}  // namespace weir
