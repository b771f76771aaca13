#include "connectors/file/chunk.h"

#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr std::size_t kLongestRecord = 256 << 20;

}  // namespace

ChunkCutter::ChunkCutter(RecordFraming framing, std::int64_t begin, std::int64_t line, bool header)
    : splitter_(framing), header_(header), begin_(begin), line_(line) {}

Chunk ChunkCutter::cut(bool last) {
  Chunk chunk{.begin = begin_, .line = line_, .last = last};
  const std::string_view all = rest_;
  std::size_t at = 0;
  while (const auto piece = splitter_.next(all.substr(at), last)) {
    if (piece->record && header_) {
      chunk.header = std::string(*piece->record);
      header_ = false;
    } else if (piece->record) {
      chunk.records.push_back({static_cast<std::uint32_t>(piece->record->data() - all.data()),
                               static_cast<std::uint32_t>(piece->record->size()),
                               static_cast<std::uint32_t>(at + piece->consumed)});
    }
    at += piece->consumed;
  }
  line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  if (rest_.size() - at > kLongestRecord)
    throw Error(Blame::kData, fmt::format("line {} begins a record of more than {} MiB", line_, kLongestRecord >> 20));
  if (at == 0) return chunk;  // a long record that is still coming stays where it is
  begin_ += static_cast<std::int64_t>(at);
  std::string rest = rest_.substr(at);
  rest_.resize(at);
  chunk.bytes = std::exchange(rest_, std::move(rest));
  return chunk;
}

}  // namespace weir
