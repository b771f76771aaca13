#include "runtime/state/table_delta.h"

#include <array>
#include <numeric>
#include <span>

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

/// How many bytes all keys begin with alike.
std::size_t common_prefix(std::span<const TableDelta::Entry> entries) {
  std::string_view prefix = entries.front().key;
  for (const TableDelta::Entry& e : entries)
    prefix = prefix.substr(
        0, static_cast<std::size_t>(std::mismatch(prefix.begin(), prefix.end(), e.key.begin(), e.key.end()).first -
                                    prefix.begin()));
  return prefix.size();
}

/// The eight bytes of a key from `at` on, as a number that sorts like them.
std::uint64_t eight_bytes(std::string_view key, std::size_t at) {
  std::uint64_t bytes = 0;
  if (key.size() > at) std::memcpy(&bytes, key.data() + at, std::min<std::size_t>(8, key.size() - at));
  return __builtin_bswap64(bytes);
}

/// Sorts entries of which few differ in their first eight bytes behind what all have in common.
void sort_alike(std::span<TableDelta::Entry> entries) {
  if (entries.size() < 2) return;
  struct Place {
    std::uint64_t bytes;
    TableDelta::Entry entry;
  };
  const std::size_t alike = common_prefix(entries);
  std::vector<Place> places;
  places.reserve(entries.size());
  for (const TableDelta::Entry& e : entries) places.push_back({eight_bytes(e.key, alike), e});
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.entry.key < b.entry.key;
  });
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = places[i].entry;
}

/// By the first byte in which keys differ, most often their key group, then each part by itself: comparing whole keys, which
/// lie anywhere in memory and begin alike, takes several times as long.
void sort_entries(std::vector<TableDelta::Entry>& entries) {
  const std::size_t at = common_prefix(entries);
  const auto part = [at](const TableDelta::Entry& e) {
    return e.key.size() > at ? static_cast<std::size_t>(static_cast<unsigned char>(e.key[at])) + 1 : 0;
  };
  std::array<std::size_t, 258> begins{};
  for (const TableDelta::Entry& e : entries) ++begins[part(e) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::array<std::size_t, 258> next = begins;
  std::vector<TableDelta::Entry> sorted(entries.size());
  for (const TableDelta::Entry& e : entries) sorted[next[part(e)]++] = e;
  for (std::size_t p = 0; p + 1 < begins.size(); ++p)
    sort_alike(std::span(sorted).subspan(begins[p], begins[p + 1] - begins[p]));
  entries.swap(sorted);
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
  sort_entries(entries_);
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
