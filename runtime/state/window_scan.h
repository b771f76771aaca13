#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/state/state_table.h"

namespace weir {

/// Walks over the rows of a window of a table, from memory and store, by key group and then by key: an order that does not
/// depend on what happened to the rows before.
///
/// While it lives its window may not be changed or evicted from, and the table outlives it; other windows may change, and
/// deltas may be ingested. key() holds until next(); so does the value at slot(), which is there to be read only.
class WindowScan {
 public:
  WindowScan(StateTable& table, std::string_view window);
  ~WindowScan();
  WindowScan(const WindowScan&) = delete;
  WindowScan& operator=(const WindowScan&) = delete;

  bool valid() const { return from_store_ || at_ < rows_.size(); }
  void next();
  std::string_view key() const { return key_; }
  std::uint8_t group() const { return group_; }
  StateSlot slot() const { return slot_; }
  /// True if this one's row comes before the other's.
  bool before(const WindowScan& other) const { return group_ != other.group_ ? group_ < other.group_ : key_ < other.key_; }

 private:
  struct Row {
    std::uint64_t prefix;  ///< of the key, behind its first byte: most comparisons end here
    const char* key;
    std::uint32_t size;
    StateSlot slot;
    std::uint8_t group, first;

    std::string_view bytes() const { return {key, size}; }
  };
  static bool less(const Row& a, const Row& b);
  void collect(RowIndex& index);
  void skip_known();
  void choose();

  StateTable& table_;
  StateTable::Window* window_;
  std::vector<Row> rows_;
  std::size_t at_ = 0;
  std::unique_ptr<StateCursor> cursor_;  ///< null where the store has nothing (more)
  StateSlot scratch_;                    ///< for values from the store
  bool has_scratch_ = false;
  bool from_store_ = false;
  std::string_view key_;
  std::uint8_t group_ = 0;
  StateSlot slot_;
};

}  // namespace weir
