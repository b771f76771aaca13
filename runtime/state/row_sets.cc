#include "runtime/state/row_sets.h"

#include "runtime/state/key_range.h"

namespace weir {

RowSetScan::RowSetScan(RowSets& table, std::string_view window, std::string_view key, std::string_view from)
    : table_(table), window_(table.find_window(window)), key_(key), hash_(key_hash(key)) {
  if (!window_) return;
  const std::string first = key_ + std::string(from);
  if (window_->ask_store && !window_->index.whole(first, hash_)) {
    const std::string begin = stored_key(window, key_group(hash_), first);
    cursor_ = table_.store_.scan(table_.options_.table, begin, end_of_prefix(stored_key(window, key_group(hash_), key_)));
    ++table_.store_reads_;
    skip_known();
  }
  at_ = window_->index.lower_bound(first, hash_);
  find_row();
  choose();
}

RowSetScan::~RowSetScan() {
  if (has_scratch_) table_.give_back(scratch_);
}

/// The next row of memory that is there and belongs to the key.
void RowSetScan::find_row() {
  while ((row_ = window_->index.at(at_)) && row_->deleted) window_->index.next(at_);
  if (row_ && !row_->key().starts_with(key_)) row_ = nullptr;
}

/// Passes over stored rows that memory knows better.
void RowSetScan::skip_known() {
  for (; cursor_->valid(); cursor_->next())
    if (!window_->index.find(cursor_->key().substr(table_.options_.window_size + 1), hash_)) return;
  cursor_.reset();
}

/// Takes the smaller one of memory's and the store's next rows.
void RowSetScan::choose() {
  from_store_ = false;
  if (cursor_) {
    const std::string_view stored = cursor_->key().substr(table_.options_.window_size + 1);
    from_store_ = !row_ || stored < row_->key();
    if (from_store_) {
      if (!has_scratch_) scratch_ = table_.take_slot();
      has_scratch_ = true;
      table_.values_.decode(scratch_, cursor_->value());
      whole_ = stored, slot_ = scratch_;
      return;
    }
  }
  if (row_) whole_ = row_->key(), slot_ = row_->slot;
}

void RowSetScan::next() {
  if (from_store_) {
    cursor_->next();
    skip_known();
  } else {
    window_->index.next(at_);
    find_row();
  }
  choose();
}

}  // namespace weir
