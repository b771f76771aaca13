#include "runtime/base/utf8.h"
#include "runtime/data/base64.h"
#include "runtime/data/value_text.h"
#include "runtime/expr/bind/registry.h"
#include "runtime/expr/text/parse_text.h"
#include "runtime/expr/text/parse_value.h"
#include "runtime/expr/text/utf8.h"

namespace weir::expr {

namespace {

constexpr TypeKind kT = TypeKind::kVarchar;
constexpr TypeKind kB = TypeKind::kBytea;

void byte_length(const KernelCall& c) {
  map_valid<std::int32_t>(c, [&](std::int32_t i) { return static_cast<std::int32_t>(c[0].text(i).size()); });
}

/// Bytes from `from` (counted from 1, may lie before the first) up to, not including, `to`.
std::string_view cut(std::string_view bytes, std::int64_t from, std::int64_t to) {
  from = std::max<std::int64_t>(from, 1);
  to = std::min(to, static_cast<std::int64_t>(bytes.size()) + 1);
  return to <= from ? bytes.substr(0, 0)
                    : bytes.substr(static_cast<std::size_t>(from - 1), static_cast<std::size_t>(to - from));
}
void substring_from(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::string_view bytes = c[0].text(i);
    return cut(bytes, c[1].value<std::int32_t>(i), static_cast<std::int64_t>(bytes.size()) + 1);
  });
}
void substring_from_for(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::int64_t from = c[1].value<std::int32_t>(i), count = c[2].value<std::int32_t>(i);
    if (count < 0) c.fail(i, fmt::format("negative substring length not allowed: {}", count));
    return cut(c[0].text(i), from, from + count);
  });
}

void concatenate(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::string_view a = c[0].text(i), b = c[1].text(i);
    char* to = c.frame.arena.reserve(a.size() + b.size() + 1);
    if (!a.empty()) std::memcpy(to, a.data(), a.size());
    if (!b.empty()) std::memcpy(to + a.size(), b.data(), b.size());
    return c.frame.arena.keep(a.size() + b.size());
  });
}

bool is_utf8_name(std::string_view name) {
  return equal_ignoring_case(name, "utf8") || equal_ignoring_case(name, "utf-8") || equal_ignoring_case(name, "unicode");
}
bool is_latin1_name(std::string_view name) {
  return equal_ignoring_case(name, "latin1") || equal_ignoring_case(name, "iso-8859-1") ||
         equal_ignoring_case(name, "iso88591");
}

std::string unknown_encoding(std::string_view name) {
  return fmt::format("encoding {} is not supported: use UTF8 or LATIN1", quoted_for_message(name));
}

void convert_from(const KernelCall& c) {
  std::string latin;
  map_text(c, [&](std::int32_t i) -> std::string_view {
    const std::string_view bytes = c[0].text(i), name = c[1].text(i);
    if (is_latin1_name(name)) {
      latin.clear();
      for (const char b : bytes) {
        const auto u = static_cast<unsigned char>(b);
        if (u < 0x80) latin += b;
        else latin += {static_cast<char>(0xc0 | u >> 6), static_cast<char>(0x80 | (u & 0x3f))};
      }
      return c.frame.arena.copy(latin);
    }
    if (!is_utf8_name(name)) return c.fail(i, unknown_encoding(name)), std::string_view{};
    const std::size_t bad = first_invalid_utf8(bytes);
    if (bad == bytes.size()) return bytes;
    std::string shown;
    append_bytea(shown, bytes.substr(bad, 4));
    c.fail(i, fmt::format("invalid byte sequence for encoding \"UTF8\" at byte {}: 0x{}", bad, shown.substr(2)));
    return {};
  });
}

void convert_to(const KernelCall& c) {
  std::string latin;
  map_text(c, [&](std::int32_t i) -> std::string_view {
    const std::string_view text = c[0].text(i), name = c[1].text(i);
    if (is_utf8_name(name)) return text;
    if (!is_latin1_name(name)) return c.fail(i, unknown_encoding(name)), std::string_view{};
    latin.clear();
    for (std::size_t k = 0; k < text.size();) {
      const auto u = static_cast<unsigned char>(text[k]);
      const std::size_t n = code_point_size(text, k);
      if (u >= 0x80 && (n != 2 || u > 0xc3))
        return c.fail(i, fmt::format("character has no equivalent in encoding \"LATIN1\": {}",
                                     quoted_for_message(text.substr(k, n)))),
               std::string_view{};
      latin += u < 0x80 ? text[k] : static_cast<char>((u & 3) << 6 | (static_cast<unsigned char>(text[k + 1]) & 0x3f));
      k += n;
    }
    return c.frame.arena.copy(latin);
  });
}

/// Lines of 76 characters, as PostgreSQL writes them.
void append_base64_lines(std::string& out, std::string_view bytes) {
  constexpr std::size_t kLine = 57;
  for (std::size_t i = 0; i < bytes.size(); i += kLine) {
    if (i > 0) out += '\n';
    append_base64(out, bytes.substr(i, kLine));
  }
}

/// White space may stand anywhere.
bool append_from_base64(std::string& out, std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (!is_blank(c)) digits += c;
  return append_decoded_base64(out, digits);
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char b : bytes) {
    const auto u = static_cast<unsigned char>(b);
    if (b == '\\') out += "\\\\";
    else if (u == 0 || u >= 0x80) fmt::format_to(std::back_inserter(out), "\\{:03o}", u);
    else out += b;
  }
}

void encode(const KernelCall& c) {
  std::string buffer;
  map_text(c, [&](std::int32_t i) -> std::string_view {
    const std::string_view bytes = c[0].text(i), format = c[1].text(i);
    buffer.clear();
    if (equal_ignoring_case(format, "base64")) append_base64_lines(buffer, bytes);
    else if (equal_ignoring_case(format, "escape")) append_escaped(buffer, bytes);
    else if (equal_ignoring_case(format, "hex")) append_bytea(buffer, bytes), buffer.erase(0, 2);
    else c.fail(i, fmt::format("unrecognized encoding: {} (use hex, base64 or escape)", quoted_for_message(format)));
    return c.frame.arena.copy(buffer);
  });
}

void decode(const KernelCall& c) {
  std::string buffer;
  map_text(c, [&](std::int32_t i) -> std::string_view {
    const std::string_view text = c[0].text(i), format = c[1].text(i);
    buffer.clear();
    bool good = true;
    if (equal_ignoring_case(format, "base64")) good = append_from_base64(buffer, text);
    else if (equal_ignoring_case(format, "escape")) good = parse_bytea(text, buffer) == ParseStatus::kOk;
    else if (equal_ignoring_case(format, "hex")) good = parse_bytea("\\x" + std::string(text), buffer) == ParseStatus::kOk;
    else c.fail(i, fmt::format("unrecognized encoding: {} (use hex, base64 or escape)", quoted_for_message(format)));
    if (!good) c.fail(i, fmt::format("invalid {} text: {}", format, quoted_for_message(text)));
    return c.frame.arena.copy(buffer);
  });
}

}  // namespace

void add_bytes_functions(Registry& r) {
  constexpr ResultType kText = always<Type::varchar>, kBytes = always<Type::bytea>, kInteger = always<Type::integer>;
  r.add(
      {"||", {kB, kB}, kBytes, concatenate, "Both byte strings, one behind the other.", "'\\x01'::bytea || '\\x02'::bytea"});
  r.add({"length", {kB}, kInteger, byte_length, "The number of bytes.", "length('\\x0102'::bytea)"});
  r.add({"octet_length", {kB}, kInteger, byte_length, "The number of bytes.", "octet_length('\\x0102'::bytea)"});
  for (const char* name : {"substring", "substr"}) {
    r.add({name,
           {kB, TypeKind::kInt},
           kBytes,
           substring_from,
           "The bytes from a place on, counted from 1.",
           "substring('\\x010203'::bytea from 2)"});
    r.add({name,
           {kB, TypeKind::kInt, TypeKind::kInt},
           kBytes,
           substring_from_for,
           "So many bytes from a place on, counted from 1.",
           "substring('\\x010203'::bytea from 2 for 1)"});
  }
  r.add({"convert_from",
         {kB, kT},
         kText,
         convert_from,
         "The text that bytes are in an encoding (UTF8, LATIN1).",
         "convert_from('\\x77656972', 'UTF8')"});
  r.add({"convert_to",
         {kT, kT},
         kBytes,
         convert_to,
         "The bytes of a text in an encoding (UTF8, LATIN1).",
         "convert_to('weir', 'UTF8')"});
  r.add({"encode", {kB, kT}, kText, encode, "Bytes as text: hex, base64 or escape.", "encode('\\x77656972', 'hex')"});
  r.add({"decode",
         {kT, kT},
         kBytes,
         decode,
         "The bytes that a text stands for: hex, base64 or escape.",
         "decode('d2Vpcg==', 'base64')"});
}

}  // namespace weir::expr
