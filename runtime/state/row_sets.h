#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "runtime/state/set_index.h"
#include "runtime/state/state_table.h"

namespace weir {

/// A table of many rows under one key, ordered by a suffix: each row is one of the store, `<window><key
/// group><key><suffix>`, and changes alone. In memory a key is found by one hash, and its rows lie sorted.
///
/// What the table calls the key of a row is both, key and suffix, one behind the other; StateTableOptions::set_key says
/// where the suffix begins. The key is written by EncodedKeys, so that no key begins with another; a suffix are any bytes,
/// which sort as rows should (runtime/state/suffix_codec.h). Rows are read and forgotten one by one, or a key's all at once:
/// load_set().
using RowSets = BasicStateTable<SetIndex>;

extern template class BasicStateTable<SetIndex>;

/// Walks over the rows of one key in the order of their suffixes, from memory and store.
///
/// While it lives no row of its window may be added, deleted or forgotten, and the table outlives it; values may change, and
/// deltas may be ingested. suffix() holds until next(); so does the value at slot(), which is there to be read only.
class RowSetScan {
 public:
  /// Begins with the first row whose suffix is not less than `from`.
  RowSetScan(RowSets& table, std::string_view window, std::string_view key, std::string_view from = {});
  ~RowSetScan();
  RowSetScan(const RowSetScan&) = delete;
  RowSetScan& operator=(const RowSetScan&) = delete;

  bool valid() const { return from_store_ || row_; }
  void next();
  std::string_view suffix() const { return whole_.substr(key_.size()); }
  /// Key and suffix.
  std::string_view whole() const { return whole_; }
  StateSlot slot() const { return slot_; }

 private:
  void find_row();
  void skip_known();
  void choose();

  RowSets& table_;
  RowSets::Window* window_;
  const std::string key_;
  const std::uint64_t hash_;
  SetIndex::Position at_{};
  const StateRow* row_ = nullptr;          ///< of memory, at at_
  std::unique_ptr<StateCursor> cursor_{};  ///< null where the store has nothing (more)
  StateSlot scratch_{};                    ///< for values from the store
  bool has_scratch_ = false, from_store_ = false;
  std::string_view whole_;
  StateSlot slot_{};
};

}  // namespace weir
