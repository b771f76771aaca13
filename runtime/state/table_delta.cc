#include "runtime/state/table_delta.h"

#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr std::size_t kSmallestBlock = 64 << 10, kLargestBlock = 4 << 20;

/// Keys are bytes: for messages.
std::string printable(std::string_view key) {
  std::string text;
  for (const unsigned char c : key.substr(0, 64))
    text += c >= ' ' && c < 0x7f ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  return text;
}

[[noreturn]] void twice(std::string_view key) {
  throw Error(Blame::kBug, fmt::format("a key was changed twice in one epoch's delta: {}", printable(key)));
}

}  // namespace

char* TableDelta::place(std::size_t size) {
  if (size > left_) {
    // Large ones go back to the system when they are freed.
    const std::size_t block =
        std::max(size, std::clamp(static_cast<std::size_t>(allocated_), kSmallestBlock, kLargestBlock));
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
    allocated_ += block;
    free_ = blocks_.back().get();
    left_ = block;
  }
  char* const at = free_;
  free_ += size;
  left_ -= size;
  return at;
}

void TableDelta::add(std::string_view key, std::optional<std::string_view> value) {
  char* const at = place(key.size() + (value ? value->size() : 0));
  std::copy(key.begin(), key.end(), at);
  Entry entry{{at, key.size()}, std::nullopt};
  if (value) {
    std::copy(value->begin(), value->end(), at + key.size());
    entry.value = std::string_view(at + key.size(), value->size());
  }
  sorted_ = sorted_ && (entries_.empty() || entries_.back().key < entry.key);
  entries_.push_back(entry);
}

void TableDelta::erase_range(std::string_view begin, std::string_view end) {
  if (begin < end) ranges_.push_back({std::string(begin), std::string(end)});
}

void TableDelta::sort() {
  if (sorted_) return;
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < entries_.size(); ++i)
    if (entries_[i - 1].key == entries_[i].key) twice(entries_[i].key);
  sorted_ = true;
}

DeltaMerge::DeltaMerge(const std::vector<TableDelta>& deltas) {
  for (const TableDelta& delta : deltas) {
    if (!delta.sorted()) throw Error(Blame::kBug, "a delta was handed in unsorted");
    if (delta.size() > 0) heap_.push_back({&delta, 0});
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
}

const TableDelta::Entry* DeltaMerge::next() {
  if (heap_.empty()) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Cursor& cursor = heap_.back();
  const TableDelta::Entry* entry = &cursor.entry();
  if (last_ && last_->key == entry->key) twice(entry->key);
  last_ = entry;
  if (++cursor.i < cursor.delta->size()) std::push_heap(heap_.begin(), heap_.end(), later);
  else heap_.pop_back();
  return entry;
}

}  // namespace weir
