#include "tools/weir/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/printable.h"

namespace weir {
namespace {

/// How many columns a terminal needs for UTF-8 text, counting code points.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells)
    if (!is_printable(cell)) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(int indent) const {
  std::vector<std::vector<std::string>> lines{{}};
  for (const Column& column : columns_) lines.front().push_back(column.title);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  std::string out;
  for (const auto& line : lines) {
    out.append(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - width_of(line[i]), ' ');
      out += columns_[i].align == Align::kRight ? padding + line[i] : line[i] + padding;
      if (i + 1 < line.size()) out += "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes);
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (size /= 1024; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string age_text(Duration age) {
  const std::int64_t seconds = age.micros / 1'000'000;
  if (seconds < -1) return "in the future";
  if (seconds < 1) return "just now";
  return rough_duration(age) + " ago";
}

std::string count_text(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace weir
