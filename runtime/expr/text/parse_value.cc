#include "runtime/expr/text/parse_value.h"

#include <simdjson.h>

#include "runtime/data/cut_text.h"
#include "runtime/expr/text/parse_text.h"

namespace weir {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

ParseStatus parse_hex(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size();) {
    if (expr::is_blank(text[i])) {
      ++i;
      continue;
    }
    if (i + 1 >= text.size()) return ParseStatus::kSyntax;
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return ParseStatus::kSyntax;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return ParseStatus::kOk;
}

bool octal(char c) { return c >= '0' && c <= '7'; }

}  // namespace

ParseStatus parse_bytea(std::string_view text, std::string& out) {
  if (text.starts_with("\\x")) return parse_hex(text.substr(2), out);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      out += '\\';
      i += 2;
    } else if (i + 3 < text.size() && text[i + 1] <= '3' && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 4;
    } else {
      return ParseStatus::kSyntax;
    }
  }
  return ParseStatus::kOk;
}

ParseStatus check_json(std::string_view text) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element document;
  return parser.parse(text.data(), text.size()).get(document) ? ParseStatus::kSyntax : ParseStatus::kOk;
}

std::string quoted_for_message(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  return "\"" + cut_for_message(text, kLongest) + "\"";
}

std::string parse_failure(ParseStatus status, const Type& type, std::string_view text) {
  if (status == ParseStatus::kRange) {
    if (type.kind() == TypeKind::kDate || type.kind() == TypeKind::kTimestamp)
      return fmt::format("date/time field value out of range: {}", quoted_for_message(text));
    return fmt::format("value out of range for type {}: {}", type.name(), quoted_for_message(text));
  }
  return fmt::format("invalid input syntax for type {}: {}", type.name(), quoted_for_message(text));
}

namespace {

/// Parses with `parse`, then appends with `append`.
template <typename T, typename Parse, typename Append>
std::optional<std::string> parsed(ColumnBuilder& b, std::string_view text, Parse parse, Append append) {
  T v{};
  if (const ParseStatus s = parse(text, v); s != ParseStatus::kOk) return parse_failure(s, b.type(), text);
  append(v);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> append_parsed(ColumnBuilder& b, std::string_view text) {
  const auto append_int = [&](std::int32_t v) { b.append_int(v); };
  const auto append_bigint = [&](std::int64_t v) { b.append_bigint(v); };
  const auto append_text = [&](const std::string& v) { b.append_text(v); };
  switch (b.type().kind()) {
    case TypeKind::kBoolean: return parsed<bool>(b, text, parse_boolean, [&](bool v) { b.append_boolean(v); });
    case TypeKind::kInt: return parsed<std::int32_t>(b, text, parse_int, append_int);
    case TypeKind::kBigint: return parsed<std::int64_t>(b, text, parse_bigint, append_bigint);
    case TypeKind::kDouble: return parsed<double>(b, text, parse_double, [&](double v) { b.append_double(v); });
    case TypeKind::kDate: return parsed<std::int32_t>(b, text, parse_date, append_int);
    case TypeKind::kTimestamp: return parsed<std::int64_t>(b, text, parse_timestamp, append_bigint);
    case TypeKind::kInterval:
      return parsed<Interval>(b, text, parse_interval, [&](const Interval& v) { b.append_interval(v); });
    case TypeKind::kDecimal: {
      const auto parse = [&](std::string_view t, Int128& v) {
        return parse_decimal_value(t, b.type().precision(), b.type().scale(), v);
      };
      return parsed<Int128>(b, text, parse, [&](Int128 v) { b.append_decimal(v); });
    }
    case TypeKind::kBytea: return parsed<std::string>(b, text, parse_bytea, append_text);
    case TypeKind::kVarchar: b.append_text(text); return std::nullopt;
    case TypeKind::kJson:
      if (check_json(text) != ParseStatus::kOk) return parse_failure(ParseStatus::kSyntax, b.type(), text);
      b.append_text(text);
      return std::nullopt;
    case TypeKind::kRow:
    case TypeKind::kArray:
    case TypeKind::kMap: break;
  }
  return fmt::format("reading {} from text is not supported yet", b.type().name());
}

}  // namespace weir
