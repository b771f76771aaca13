#include "connectors/formats/record_splitter.h"

#include <utility>

namespace weir {

std::optional<RecordSplitter::Piece> RecordSplitter::next(std::string_view bytes, bool last) {
  const std::size_t end = framing_.kind == RecordFraming::kCsv ? end_of_csv(bytes, last) : end_of_line(bytes);
  if (end == std::string_view::npos && (!last || bytes.empty())) return std::nullopt;
  const bool open = std::exchange(progress_, {}).gave_up && last;
  const bool terminated = end != std::string_view::npos;
  std::string_view record = bytes.substr(0, terminated ? end : bytes.size());
  const std::size_t consumed = record.size() + terminated;
  if (framing_.kind == RecordFraming::kLines) return Piece{consumed, record};
  if (record.ends_with('\r')) record.remove_suffix(1);
  if (record.empty()) return Piece{consumed, std::nullopt};
  return Piece{consumed, record, open};
}

std::size_t RecordSplitter::end_of_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n', progress_.looked);
  progress_.looked = bytes.size();
  return end;
}

/// The line feed that ends the record. A quote opens only at the beginning of a field; one right behind a closing quote
/// makes both of them text. Elsewhere it is text that the decoder refuses, and the line ends as usual.
std::size_t RecordSplitter::end_of_csv(std::string_view bytes, bool last) {
  Progress& p = progress_;
  for (; !p.gave_up && p.looked < bytes.size(); ++p.looked) {
    const char c = bytes[p.looked];
    if (c == '"') {
      if (p.in_quotes) {
        p.in_quotes = false;
        p.closed = p.looked + 1;
      } else if (p.closed == p.looked && p.closed > 0) {
        p.in_quotes = true;
      } else if (begins_field(bytes, p.looked)) {
        p.in_quotes = true;
        p.opened = p.looked;
      }
    } else if (c == '\n' && !p.in_quotes) {
      return p.looked;
    }
  }
  if (!p.gave_up && p.in_quotes && (last || bytes.size() - p.opened > longest_quoted_)) {
    p.gave_up = true;
    p.looked = p.opened;
  }
  return p.gave_up ? end_of_line(bytes) : std::string_view::npos;
}

bool RecordSplitter::begins_field(std::string_view bytes, std::size_t at) const {
  return at == 0 || bytes[at - 1] == framing_.delimiter;
}

}  // namespace weir
