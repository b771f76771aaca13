#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/time.h"

namespace weir {

/// Text in columns that are as wide as their widest cell, two blanks apart.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// A row with as many cells as there are columns. They are shown as printable() says: names and values come from outside.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Titles and rows, each line after `indent` blanks and without blanks at its end.
  std::string text(int indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// `123 B`, `12.3 KiB`, `4.0 GiB`.
std::string size_text(std::uint64_t bytes);
/// `just now`, `12 s ago`, `3 min ago`, `5 h ago`, `12 days ago`; `in the future` when the clocks differ.
std::string age_text(Duration age);
/// `1 file`, `3 files`.
std::string count_text(std::uint64_t count, const char* what);

}  // namespace weir
