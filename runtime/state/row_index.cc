#include "runtime/state/row_index.h"

#include "runtime/base/error.h"
#include "runtime/state/spread_order.h"

namespace weir {
namespace {

constexpr std::size_t kFirstRows = 4;

}  // namespace

RowIndex::~RowIndex() {
  for_each([this](StateRow& row) { keys_.free_large(row.key()); });
}

std::uint64_t RowIndex::bytes() const { return rows_.size() * sizeof(StateRow) + keys_.bytes(); }

StateRow* RowIndex::find(std::string_view key, std::uint64_t hash) {
  if (rows_.empty()) return nullptr;
  for (std::size_t i = home(hash);; i = (i + 1) & (rows_.size() - 1)) {
    StateRow& row = rows_[i];
    if (!row.key_bytes) return nullptr;
    if (row.hash == hash && row.key() == key) return &row;
  }
}

StateRow* RowIndex::find_same(std::string_view key, std::uint64_t hash) {
  if (rows_.empty()) return nullptr;
  for (std::size_t i = home(hash); rows_[i].key_bytes; i = (i + 1) & (rows_.size() - 1))
    if (rows_[i].key_bytes == key.data()) return &rows_[i];
  return nullptr;
}

const StateRow* RowIndex::likely(std::uint64_t hash) const {
  constexpr std::size_t kNear = 4;
  if (!large()) return nullptr;
  for (std::size_t k = 0; k < kNear; ++k) {
    const StateRow& row = rows_[(home(hash) + k) & (rows_.size() - 1)];
    if (!row.key_bytes) return nullptr;
    if (row.hash != hash) continue;
    __builtin_prefetch(row.key_bytes);
    return &row;
  }
  return nullptr;
}

StateRow& RowIndex::insert(std::string_view key, std::uint64_t hash) {
  if (key.size() > StateRow::kLongestKey)
    throw Error(Blame::kData,
                fmt::format("a key of state is too long: {} bytes, at most {}", key.size(), StateRow::kLongestKey));
  if (4 * (size_ + 1) > 3 * rows_.size()) resize(std::max(kFirstRows, 2 * rows_.size()));
  std::size_t i = home(hash);
  while (rows_[i].key_bytes) i = (i + 1) & (rows_.size() - 1);
  rows_[i] = {};
  rows_[i].key_bytes = keys_.copy(key);
  rows_[i].hash = hash;
  rows_[i].key_size = static_cast<std::uint32_t>(key.size()) & StateRow::kLongestKey;
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
  const std::size_t run = std::min<std::size_t>(8, rows_.size()), runs = rows_.empty() ? 0 : rows_.size() / run;
  for (std::size_t seen = 0; seen < runs && removed < count; ++seen) {
    const std::size_t begin = reversed_bits(swept_ & (runs - 1), std::bit_width(runs) - 1) * run;
    for (std::size_t i = begin; i < begin + run; ++i)
      // What shifts back into the place of a removed row is looked at too.
      for (; removed < count && rows_[i].key_bytes && choose(rows_[i]); ++removed) remove(&rows_[i]);
    if (removed < count) ++swept_;
  }
  if (removed > 0 && size_ == 0) give_back_all();
  else if (removed > 0 && size_ < rows_.size() / 8) resize(std::bit_ceil(std::max(kFirstRows, 2 * size_)));
  return removed;
}

void RowIndex::give_back_all() {
  rows_ = Rows();
  marks_ = std::vector<std::uint64_t>();
  keys_.clear();
  swept_ = 0;
}

void RowIndex::resize(std::size_t places) {
  Rows old(places);
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

}  // namespace weir
