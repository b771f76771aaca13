#include "connectors/formats/json_tokens.h"

#include <simdjson.h>

#include "runtime/base/error.h"

namespace weir {

namespace {

constexpr std::string_view kTerminator = "\n#\n";
constexpr std::size_t kPadding = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Bytes of the well-formed UTF-8 sequence at `s`, 0 if there is none (Unicode 15, table 3-7).
std::size_t utf8_sequence(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned low = lead == 0xe0 ? 0xa0 : 0x80, high = lead == 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned low = lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

JsonTokens::JsonTokens() = default;
JsonTokens::~JsonTokens() = default;

void JsonTokens::clear() {
  bytes_.clear();
  documents_.clear();
}

void JsonTokens::add(std::string_view document) {
  if (document.starts_with(kByteOrderMark)) document.remove_prefix(kByteOrderMark.size());
  const auto begin = static_cast<std::uint32_t>(bytes_.size());
  bytes_.reserve(bytes_.size() + document.size() + kTerminator.size() + kPadding);
  bytes_.append(document.data(), document.size());
  bytes_.append(kTerminator.data(), kTerminator.size());
  documents_.push_back({begin, begin + static_cast<std::uint32_t>(document.size())});
}

bool JsonTokens::index(const char* begin, std::size_t length) {
  constexpr std::size_t kDepth = 1;  // of simdjson's second stage, which is not used
  if (!stage_ || stage_->capacity() < length) {
    const std::size_t capacity = std::max<std::size_t>(length + length / 2, 64 * 1024);
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, kDepth, stage_);
    if (error) throw Error(Blame::kBug, fmt::format("no room to read JSON: {}", simdjson::error_message(error)));
  }
  base_ = begin;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(begin);
  const bool good = stage_->stage1(bytes, length, simdjson::stage1_mode::regular) == simdjson::SUCCESS;
  tokens_ = stage_->structural_indexes.get();
  return good;
}

bool JsonTokens::index_all() { return index(bytes_.as<char>(), bytes_.size()); }

bool JsonTokens::index_one(const Document& d) { return index(bytes_.as<char>() + d.begin, d.end - d.begin + kTerminator.size()); }

std::string why_no_tokens(std::string_view document) {
  std::size_t opened = 0;
  bool in_text = false, broken_text = false;
  std::string reason;
  for (std::size_t i = 0; i < document.size();) {
    const char c = document[i];
    const std::size_t length = utf8_sequence(document.substr(i));
    if (!length) return fmt::format("invalid UTF-8 at byte {}: {:#04x}", i, static_cast<unsigned char>(c));
    if (in_text && static_cast<unsigned char>(c) < 0x20 && !broken_text) {
      broken_text = true;
      reason = fmt::format("a control character in the text that begins at byte {} must be written \\u{:04x}, at byte {}", opened,
                           static_cast<unsigned char>(c), i);
    }
    if (c == '"') {
      in_text = !in_text;
      opened = i;
    }
    const bool escapes = c == '\\' && i + 1 < document.size() && static_cast<unsigned char>(document[i + 1]) < 0x80;
    i += escapes ? 2 : length;
  }
  if (broken_text && !in_text) return reason;
  if (in_text) return fmt::format("truncated: the text that begins at byte {} has no end", opened);
  return "not JSON";
}

}  // namespace weir
