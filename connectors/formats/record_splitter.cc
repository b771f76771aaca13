#include "connectors/formats/record_splitter.h"

namespace weir {

std::optional<RecordSplitter::Piece> RecordSplitter::next(std::string_view bytes, bool last) {
  std::size_t end = std::string_view::npos;
  if (framing_.kind == RecordFraming::kCsv) {
    end = end_of_csv(bytes);
  } else {
    end = bytes.find('\n', looked_);
    looked_ = bytes.size();
  }
  if (end == std::string_view::npos && (!last || bytes.empty())) return std::nullopt;
  looked_ = 0;
  in_quotes_ = false;
  closed_ = 0;
  const bool terminated = end != std::string_view::npos;
  std::string_view record = bytes.substr(0, terminated ? end : bytes.size());
  const std::size_t consumed = record.size() + terminated;
  if (framing_.kind == RecordFraming::kLines) return Piece{consumed, record};
  if (record.ends_with('\r')) record.remove_suffix(1);
  if (record.empty()) return Piece{consumed, std::nullopt};
  return Piece{consumed, record};
}

/// The line feed that ends the record, looking from looked_ on. A quote opens only at the beginning of a field; one right behind
/// a closing quote makes both of them text. Elsewhere it is text that the decoder refuses, and the line ends as usual.
std::size_t RecordSplitter::end_of_csv(std::string_view bytes) {
  for (; looked_ < bytes.size(); ++looked_) {
    const char c = bytes[looked_];
    if (c == '"') {
      if (in_quotes_) {
        in_quotes_ = false;
        closed_ = looked_ + 1;
      } else {
        in_quotes_ = begins_field(bytes, looked_) || closed_ == looked_;
      }
    } else if (c == '\n' && !in_quotes_) {
      return looked_++;
    }
  }
  return std::string_view::npos;
}

bool RecordSplitter::begins_field(std::string_view bytes, std::size_t at) const {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  return at == 0 || bytes[at - 1] == framing_.delimiter || (at == kByteOrderMark.size() && bytes.starts_with(kByteOrderMark));
}

}  // namespace weir
