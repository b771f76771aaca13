#include "connectors/formats/json/json_tokens.h"

#include <simdjson.h>

#include "runtime/base/error.h"
#include "runtime/base/utf8.h"

namespace weir {

namespace {

constexpr std::string_view kTerminator = "\n#\n";
constexpr std::size_t kPadding = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

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

bool JsonTokens::index_one(const Document& d) {
  return index(bytes_.as<char>() + d.begin, d.end - d.begin + kTerminator.size());
}

std::string why_no_tokens(std::string_view document) {
  const std::size_t bad = first_invalid_utf8(document);
  if (bad < document.size())
    return fmt::format("invalid UTF-8 at byte {}: {:#04x}", bad, static_cast<unsigned char>(document[bad]));
  std::size_t opened = 0, control = document.size();
  bool in_text = false;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const char c = document[i];
    if (c == '\\') ++i;
    if (in_text && static_cast<unsigned char>(c) < 0x20) control = std::min(control, i);
    if (c != '"') continue;
    in_text = !in_text;
    opened = i;
  }
  if (in_text) return fmt::format("truncated: the text that begins at byte {} has no end", opened);
  if (control == document.size()) return "not JSON";
  const auto byte = static_cast<unsigned char>(document[control]);
  return fmt::format("not JSON: a control character in a text must be written \\u{:04x}, found it bare at byte {}", byte,
                     control);
}

}  // namespace weir
