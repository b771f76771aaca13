#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// What one task changed in one state table during an epoch: keys put, keys deleted, ranges deleted. Keys and values are
/// bytes.
///
/// A range is deleted before everything else of the same epoch, so a put of this delta in a deleted range stays.
/// Filled on one thread, then sort()ed (on any thread, but one), then read.
class TableDelta {
 public:
  /// A key and its new value, or nothing where it was deleted. Both borrow from the delta.
  struct Entry {
    std::string_view key;
    std::optional<std::string_view> value;
  };
  /// All keys k with begin <= k < end.
  struct Range {
    std::string begin, end;
    bool operator==(const Range&) const = default;
  };

  TableDelta() = default;
  TableDelta(TableDelta&&) = default;
  TableDelta& operator=(TableDelta&&) = default;

  /// Makes room for so many entries.
  void reserve(std::size_t entries) { entries_.reserve(entries); }
  void put(std::string_view key, std::string_view value) { add(key, value); }
  void erase(std::string_view key) { add(key, std::nullopt); }
  /// Nothing if the range is empty.
  void erase_range(std::string_view begin, std::string_view end);

  /// Sorts the entries by key, bytewise. Throws Error(kBug) if a key comes twice: which would win?
  void sort();
  bool sorted() const { return sorted_; }

  bool empty() const { return entries_.empty() && ranges_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& at(std::size_t i) const { return entries_[i]; }
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Memory held, about.
  std::uint64_t bytes() const { return allocated_ + entries_.size() * sizeof(Entry); }

 private:
  void add(std::string_view key, std::optional<std::string_view> value);
  char* place(std::size_t size);

  std::vector<Entry> entries_;
  std::vector<Range> ranges_;
  std::vector<std::unique_ptr<char[]>> blocks_;  ///< what the entries point into; never moved
  char* free_ = nullptr;
  std::size_t left_ = 0;
  std::uint64_t allocated_ = 0;
  bool sorted_ = true;
};

/// Merges sorted deltas of several tasks to one ascending sequence. Borrows them.
class DeltaMerge {
 public:
  /// Throws Error(kBug) if one is not sorted.
  explicit DeltaMerge(const std::vector<TableDelta>& deltas);
  /// The next entry, or null at the end. Throws Error(kBug) if two tasks changed the same key: a key belongs to one task.
  const TableDelta::Entry* next();

 private:
  struct Cursor {
    const TableDelta* delta;
    std::size_t i;
    const TableDelta::Entry& entry() const { return delta->at(i); }
  };
  static bool later(const Cursor& a, const Cursor& b) { return a.entry().key > b.entry().key; }
  std::vector<Cursor> heap_;  ///< the smallest key first
  const TableDelta::Entry* last_ = nullptr;
};

}  // namespace weir
