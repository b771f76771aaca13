#include "runtime/state/window_scan.h"

namespace weir {
namespace {

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  if (key.size() > 1) std::memcpy(&prefix, key.data() + 1, std::min<std::size_t>(8, key.size() - 1));
  return __builtin_bswap64(prefix);
}

}  // namespace

WindowScan::WindowScan(StateTable& table, std::string_view window) : table_(table), window_(table.find_window(window)) {
  if (!window_) return;
  collect(window_->index);
  if (window_->ask_store) {
    const KeyGroups& groups = table_.options_.groups;
    const std::string first = window_->name + static_cast<char>(groups.first);
    const std::string end = window_->name + static_cast<char>(groups.last + 1);
    cursor_ = table_.store_.scan(table_.options_.table, first, end);
    skip_known();
  }
  choose();
}

WindowScan::~WindowScan() {
  if (has_scratch_) table_.give_back(scratch_);
}

bool WindowScan::less(const Row& a, const Row& b) {
  if (a.first != b.first) return a.first < b.first;
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  return a.bytes() < b.bytes();
}

/// The rows in memory, dealt out by group, then sorted group by group.
void WindowScan::collect(RowIndex& index) {
  std::size_t begins[kKeyGroups + 1] = {};
  index.for_each([&](StateRow& row) { begins[key_group(row.hash) + 1] += row.deleted ? 0 : 1; });
  for (int g = 0; g < kKeyGroups; ++g) begins[g + 1] += begins[g];
  rows_.resize(begins[kKeyGroups]);
  std::size_t next[kKeyGroups];
  std::copy(begins, begins + kKeyGroups, next);
  index.for_each([&](StateRow& row) {
    if (row.deleted) return;
    const std::uint8_t group = key_group(row.hash);
    const std::string_view key = row.key();
    rows_[next[group]++] = {prefix_of(key), row.key_bytes,
                            row.key_size,   row.slot,
                            group,          key.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(key[0])};
  });
  for (int g = 0; g < kKeyGroups; ++g)
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begins[g]),
              rows_.begin() + static_cast<std::ptrdiff_t>(begins[g + 1]), less);
}

/// Passes over stored rows that memory knows better.
void WindowScan::skip_known() {
  const std::size_t prefix = table_.options_.window_size + 1;
  for (; cursor_->valid(); cursor_->next()) {
    const std::string_view key = cursor_->key().substr(prefix);
    const auto group = static_cast<std::uint8_t>(cursor_->key()[prefix - 1]);
    if (window_->index.find(key, hash_in_group(key_hash(key), group)) == nullptr) return;
  }
  cursor_.reset();
}

/// Takes the smaller one of memory's and the store's next rows.
void WindowScan::choose() {
  from_store_ = false;
  if (cursor_) {
    const std::string_view whole = cursor_->key();
    const auto group = static_cast<std::uint8_t>(whole[table_.options_.window_size]);
    const std::string_view key = whole.substr(table_.options_.window_size + 1);
    from_store_ = at_ == rows_.size() || group < rows_[at_].group || (group == rows_[at_].group && key < rows_[at_].bytes());
    if (from_store_) {
      if (!has_scratch_) scratch_ = table_.take_slot();
      has_scratch_ = true;
      table_.values_.decode(scratch_, cursor_->value());
      key_ = key, group_ = group, slot_ = scratch_;
      return;
    }
  }
  if (at_ == rows_.size()) return;
  key_ = rows_[at_].bytes(), group_ = rows_[at_].group, slot_ = rows_[at_].slot;
}

void WindowScan::next() {
  if (from_store_) {
    cursor_->next();
    skip_known();
  } else {
    ++at_;
  }
  choose();
}

}  // namespace weir
