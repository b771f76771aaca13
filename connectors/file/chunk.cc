#include "connectors/file/chunk.h"

#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr std::size_t kLongestRecord = 256 << 20;
constexpr std::size_t kSignature = 8;  // bytes that tell what a file is
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// UTF-16 without a mark: in what begins with ASCII every other byte is zero.
bool has_zeros_between(std::string_view bytes, std::size_t first) {
  return bytes.size() >= 4 && bytes[first] == 0 && bytes[first + 2] == 0 && bytes[1 - first] != 0 && bytes[3 - first] != 0;
}

/// What bytes at the beginning of a file say of it when it is no UTF-8 text: `is compressed (gzip), …`.
std::optional<std::string> kind_of_bytes(std::string_view bytes, RecordFraming framing) {
  using namespace std::string_view_literals;
  struct Signature {
    std::string_view bytes, kind;
  };
  static constexpr Signature kCompressed[] = {{"\x1f\x8b"sv, "gzip"},    {"\x28\xb5\x2f\xfd"sv, "zstd"},
                                              {"\xfd\x37zXZ\0"sv, "xz"}, {"BZh91AY&"sv, "bzip2"},
                                              {"PK\x03\x04"sv, "zip"},   {"\x04\x22\x4d\x18"sv, "lz4"}};
  static constexpr Signature kEncoded[] = {
      {"\xff\xfe\0\0"sv, "UTF-32"}, {"\0\0\xfe\xff"sv, "UTF-32"}, {"\xff\xfe"sv, "UTF-16"}, {"\xfe\xff"sv, "UTF-16"}};
  for (const Signature& s : kCompressed)
    if (bytes.starts_with(s.bytes)) return fmt::format("is compressed ({}), which is not supported yet: unpack it", s.kind);
  for (const Signature& s : kEncoded)
    if (bytes.starts_with(s.bytes)) return fmt::format("is {}: save it as UTF-8", s.kind);
  const bool raw = framing.kind == RecordFraming::kLines;
  if (!raw && (has_zeros_between(bytes, 0) || has_zeros_between(bytes, 1))) return "is UTF-16: save it as UTF-8";
  return std::nullopt;
}

}  // namespace

ChunkCutter::ChunkCutter(RecordFraming framing, std::int64_t begin, std::int64_t line, bool header)
    : framing_(framing), splitter_(framing), begun_(begin > 0), header_(header), begin_(begin), line_(line) {}

/// Looks at the first bytes of a file or stream once they are there.
bool ChunkCutter::begin(bool last) {
  if (rest_.size() < kSignature && !last) return false;
  if (const auto kind = kind_of_bytes(rest_, framing_)) throw Error(Blame::kData, *kind);
  if (framing_.kind != RecordFraming::kLines && rest_.starts_with(kByteOrderMark)) {
    begin_ = static_cast<std::int64_t>(kByteOrderMark.size());
    rest_.erase(0, kByteOrderMark.size());
  }
  return true;
}

Chunk ChunkCutter::cut(bool last) {
  if (!begun_ && !(begun_ = begin(last))) return {};
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
    chunk.open |= piece->open;
  }
  line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  if (rest_.size() - at > kLongestRecord)
    throw Error(Blame::kData,
                fmt::format("has a record of more than {} MiB, which begins in line {}", kLongestRecord >> 20, line_));
  if (at == 0) return chunk;  // a long record that is still coming stays where it is
  begin_ += static_cast<std::int64_t>(at);
  std::string rest = rest_.substr(at);
  rest_.resize(at);
  chunk.bytes = std::exchange(rest_, std::move(rest));
  return chunk;
}

}  // namespace weir
