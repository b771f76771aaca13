#include "connectors/formats/text_value.h"

#include "runtime/data/decimal.h"
#include "runtime/data/timestamp_text.h"

namespace weir {

namespace {

constexpr std::size_t kShown = 60;  // bytes of a value in a message

std::optional<bool> boolean_word(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  for (const char* yes : {"t", "true", "yes", "y", "on", "1"})
    if (word == yes) return true;
  for (const char* no : {"f", "false", "no", "n", "off", "0"})
    if (word == no) return false;
  return std::nullopt;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = static_cast<char>(c | 0x20);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// `\x00ff`, or the bytes themselves.
bool append_bytea_text(std::string_view text, ColumnBuilder& out) {
  if (!text.starts_with("\\x")) return out.append_text(text), true;
  text.remove_prefix(2);
  if (text.size() % 2) return false;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  out.append_text(bytes);
  return true;
}

bool append_number(std::string_view text, const Type& type, ColumnBuilder& out, std::string& problem) {
  std::int64_t whole = 0;
  double real = 0;
  JsonNumber status = JsonNumber::kOk;
  ParsedDecimal decimal{ParsedDecimal::Status::kOk};
  switch (type.kind()) {
    case TypeKind::kInt:
    case TypeKind::kBigint:
      status = read_bigint_text(text, whole);
      if (status == JsonNumber::kOk && type.kind() == TypeKind::kInt && whole != static_cast<std::int32_t>(whole)) status = JsonNumber::kRange;
      break;
    case TypeKind::kDouble: status = read_double_text(text, real); break;
    default:
      decimal = parse_decimal(trim_blanks(text), type.scale());
      if (decimal.status == ParsedDecimal::Status::kSyntax) status = JsonNumber::kSyntax;
      else if (decimal.status == ParsedDecimal::Status::kOverflow || !fits_digits(decimal.value, type.precision())) status = JsonNumber::kRange;
  }
  if (status == JsonNumber::kRange) problem = "a value that fits ";
  if (status != JsonNumber::kOk) return false;
  switch (type.kind()) {
    case TypeKind::kInt: out.append_int(static_cast<std::int32_t>(whole)); break;
    case TypeKind::kBigint: out.append_bigint(whole); break;
    case TypeKind::kDouble: out.append_double(real); break;
    default: out.append_decimal(decimal.value);
  }
  return true;
}

}  // namespace

TextValueReader::TextValueReader(const Field& field) : type_(field.type) {
  switch (type_.kind()) {
    case TypeKind::kJson:
    case TypeKind::kRow:
    case TypeKind::kArray:
    case TypeKind::kMap:
      json_ = std::make_unique<JsonFieldReader>(field, JsonOptions{});
      tokens_ = std::make_unique<JsonTokens>();
      break;
    default: break;
  }
}

bool TextValueReader::read(std::string_view text, ColumnBuilder& out, std::string& reason) {
  if (json_) return read_from_json(text, out, reason);
  std::string problem;
  if (read_scalar(text, out, problem)) return true;
  const bool cut = text.size() > kShown;
  reason = fmt::format("expected {}{}, found \"{}{}\"", problem, type_.name(), text.substr(0, kShown), cut ? "…" : "");
  return false;
}

bool TextValueReader::read_scalar(std::string_view text, ColumnBuilder& out, std::string& problem) {
  switch (type_.kind()) {
    case TypeKind::kVarchar: return out.append_text(text), true;
    case TypeKind::kBytea: return append_bytea_text(text, out);
    case TypeKind::kBoolean: {
      const auto value = boolean_word(trim_blanks(text));
      if (value) out.append_boolean(*value);
      return value.has_value();
    }
    case TypeKind::kDate: {
      std::int32_t days;
      return parse_date(trim_blanks(text), days) && (out.append_int(days), true);
    }
    case TypeKind::kTimestamp: {
      std::int64_t micros;
      return parse_timestamp(trim_blanks(text), TimestampText::kAny, micros) && (out.append_bigint(micros), true);
    }
    case TypeKind::kInterval: {
      Interval value;
      return parse_interval(text, value) && (out.append_interval(value), true);
    }
    default: return append_number(text, type_, out, problem);
  }
}

bool TextValueReader::read_from_json(std::string_view text, ColumnBuilder& out, std::string& reason) {
  tokens_->clear();
  tokens_->add(text);
  const JsonTokens::Document& d = tokens_->documents()[0];
  const std::string_view document = tokens_->text(d);
  if (!tokens_->index_one(d)) return reason = why_no_tokens(document), false;
  cursor_.start(tokens_->base(), document.data(), tokens_->tokens());
  if (json_->read(cursor_, out)) {
    if (cursor_.here() > document.data() + document.size()) return true;
    out.pop();
    cursor_.syntax("nothing more");
  }
  reason = cursor_.take_failure().text;
  return false;
}

}  // namespace weir
