#include "runtime/state/row_index.h"

#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr std::size_t kLargestBlock = 16 << 10;

}  // namespace

RowIndex::~RowIndex() {
  for_each([&](StateRow& row) { free_key(row); });  // large keys have memory of their own
}

std::uint64_t RowIndex::bytes() const { return rows_.size() * sizeof(StateRow) + key_bytes_; }

StateRow* RowIndex::find(std::string_view key, std::uint64_t hash) {
  if (rows_.empty()) return nullptr;
  for (std::size_t i = home(hash);; i = (i + 1) & (rows_.size() - 1)) {
    StateRow& row = rows_[i];
    if (!row.key_bytes) return nullptr;
    if (row.hash == hash && row.key() == key) return &row;
  }
}

StateRow& RowIndex::insert(std::string_view key, std::uint64_t hash) {
  if (key.size() > kLongestKey)
    throw Error(Blame::kData, fmt::format("a key of state is too long: {} bytes, at most {}", key.size(), kLongestKey));
  if (4 * (size_ + 1) > 3 * rows_.size()) grow();
  std::size_t i = home(hash);
  while (rows_[i].key_bytes) i = (i + 1) & (rows_.size() - 1);
  rows_[i] = {};
  rows_[i].key_bytes = copy_key(key);
  rows_[i].hash = hash;
  rows_[i].key_size = static_cast<std::uint32_t>(key.size()) & kLongestKey;
  ++size_;
  return rows_[i];
}

void RowIndex::remove(StateRow* row) {
  free_key(*row);
  --size_;
  const std::size_t mask = rows_.size() - 1;
  std::size_t hole = static_cast<std::size_t>(row - rows_.data());
  for (std::size_t i = (hole + 1) & mask; rows_[i].key_bytes; i = (i + 1) & mask) {
    // A row may move into the hole unless its home lies cyclically behind the hole.
    if (((i - home(rows_[i].hash)) & mask) < ((i - hole) & mask)) continue;
    rows_[hole] = rows_[i];
    set_mark(hole, is_marked(i));
    hole = i;
  }
  rows_[hole] = {};
  set_mark(hole, false);
}

void RowIndex::mark(const StateRow& row) { set_mark(static_cast<std::size_t>(&row - rows_.data()), true); }

void RowIndex::set_mark(std::size_t i, bool marked) {
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  marks_[i / 64] = marked ? marks_[i / 64] | bit : marks_[i / 64] & ~bit;
}

std::size_t RowIndex::sweep(std::size_t count, const std::function<bool(const StateRow&)>& choose) {
  std::size_t removed = 0;
  for (std::size_t seen = 0; seen < rows_.size() && removed < count; ++seen) {
    if (swept_ >= rows_.size()) swept_ = 0;
    // What shifts back into the place of a removed row is looked at too.
    while (removed < count && rows_[swept_].key_bytes && choose(rows_[swept_])) {
      remove(&rows_[swept_]);
      ++removed;
    }
    ++swept_;
  }
  return removed;
}

void RowIndex::grow() {
  std::vector<StateRow> old(std::max<std::size_t>(16, 2 * rows_.size()));
  old.swap(rows_);
  std::vector<std::uint64_t> old_marks((rows_.size() + 63) / 64);
  old_marks.swap(marks_);
  for (std::size_t k = 0; k < old.size(); ++k) {
    const StateRow& row = old[k];
    if (!row.key_bytes) continue;
    std::size_t i = home(row.hash);
    while (rows_[i].key_bytes) i = (i + 1) & (rows_.size() - 1);
    rows_[i] = row;
    set_mark(i, (old_marks[k / 64] >> (k % 64) & 1) != 0);
  }
}

char* RowIndex::copy_key(std::string_view key) {
  const std::size_t steps = std::max<std::size_t>(1, (key.size() + kStep - 1) / kStep);
  char* at = nullptr;
  if (steps > kSizes) {
    at = new char[key.size()];
    key_bytes_ += key.size();
  } else if (!free_[steps].empty()) {
    at = free_[steps].back();
    free_[steps].pop_back();
  } else {
    if (block_left_ < steps * kStep) {
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(next_block_));
      block_ = blocks_.back().get();
      block_left_ = next_block_;
      key_bytes_ += next_block_;
      next_block_ = std::min(2 * next_block_, kLargestBlock);
    }
    at = block_;
    block_ += steps * kStep;
    block_left_ -= steps * kStep;
  }
  std::copy(key.begin(), key.end(), at);
  return at;
}

void RowIndex::free_key(const StateRow& row) {
  const std::size_t steps = std::max<std::size_t>(1, (row.key_size + kStep - 1) / kStep);
  if (steps > kSizes) {
    delete[] row.key_bytes;
    key_bytes_ -= row.key_size;
  } else {
    free_[steps].push_back(const_cast<char*>(row.key_bytes));
  }
}

}  // namespace weir
