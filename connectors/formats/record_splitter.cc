#include "connectors/formats/record_splitter.h"

#include <cstring>

namespace weir {

std::optional<RecordSplitter::Piece> RecordSplitter::next(std::string_view bytes, bool last) {
  std::size_t end = std::string_view::npos;
  if (framing_ == RecordFraming::kCsv) {
    for (; looked_ < bytes.size() && end == std::string_view::npos; ++looked_) {
      if (bytes[looked_] == '"') in_quotes_ = !in_quotes_;
      if (bytes[looked_] == '\n' && !in_quotes_) end = looked_;
    }
  } else {
    end = bytes.find('\n', looked_);
    looked_ = bytes.size();
  }
  if (end == std::string_view::npos && (!last || bytes.empty())) return std::nullopt;
  looked_ = 0;
  in_quotes_ = false;
  const bool terminated = end != std::string_view::npos;
  std::string_view record = bytes.substr(0, terminated ? end : bytes.size());
  const std::size_t consumed = record.size() + terminated;
  if (framing_ == RecordFraming::kLines) return Piece{consumed, record};
  if (record.ends_with('\r')) record.remove_suffix(1);
  if (record.empty()) return Piece{consumed, std::nullopt};
  return Piece{consumed, record};
}

}  // namespace weir
