#include "runtime/config/source_text.h"

#include <fmt/format.h>
#include <algorithm>

namespace weir {

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

Position SourceText::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<int>(next - starts_.begin());
  int column = 1;
  for (std::size_t i = *(next - 1); i < offset; ++i)
    if ((text_[i] & 0xC0) != 0x80) ++column;
  // A byte within a character belongs to it.
  if (offset < text_.size() && (text_[offset] & 0xC0) == 0x80 && column > 1) --column;
  if (line == 1 && text_.starts_with("\xEF\xBB\xBF") && column > 1) --column;
  return {line, column};
}

std::size_t SourceText::line_start(int line) const {
  return line >= 1 && static_cast<std::size_t>(line) <= starts_.size() ? starts_[static_cast<std::size_t>(line) - 1]
                                                                       : text_.size();
}

std::string_view SourceText::line(int line) const {
  const std::size_t begin = line_start(line);
  std::size_t end = std::min(text_.find('\n', begin), text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

void OffsetMap::add(std::size_t value, std::size_t text, bool fixed) {
  if (!runs_.empty()) {
    const Run& last = runs_.back();
    if (!fixed && !last.fixed && text - last.text == value - last.value && text >= last.text) return;
    if (fixed && last.fixed && text == last.text) return;
    if (last.value == value) runs_.pop_back();
  }
  runs_.push_back({value, text, fixed});
}

std::size_t OffsetMap::text_offset(std::size_t value) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), value, [](std::size_t v, const Run& r) { return v < r.value; });
  if (after == runs_.begin()) return runs_.empty() ? 0 : runs_.front().text;
  const Run& run = *(after - 1);
  return run.fixed ? run.text : run.text + (value - run.value);
}

void OffsetMap::copy(std::size_t begin, std::size_t end, OffsetMap& out, std::size_t value) const {
  if (begin > end) return;
  auto run = std::upper_bound(runs_.begin(), runs_.end(), begin, [](std::size_t v, const Run& r) { return v < r.value; });
  if (run != runs_.begin()) --run;
  for (; run != runs_.end() && run->value <= end; ++run) {
    if (run->value == end && end > begin) break;
    const std::size_t from = std::max(run->value, begin);
    out.add(value + (from - begin), run->fixed ? run->text : run->text + (from - run->value), run->fixed);
  }
}

Location Location::at(std::size_t value_offset) const {
  if (!value_ || value_->empty()) return *this;
  return Location(source_, value_->text_offset(value_offset));
}

Position Location::position() const { return source_ ? source_->position(offset_) : Position(); }

std::string Location::to_string() const {
  if (!source_) return {};
  const Position p = position();
  return fmt::format("{}:{}:{}", source_->name(), p.line, p.column);
}

}  // namespace weir
