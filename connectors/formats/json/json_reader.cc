#include "connectors/formats/json/json_reader.h"

#include <limits>

#include "runtime/data/decimal.h"

namespace weir {

JsonFieldReader::JsonFieldReader(const Field& field, const JsonOptions& options)
    : name_(field.name),
      type_(field.type),
      kind_(field.type.kind()),
      nullable_(field.nullable),
      timestamp_(options.timestamp) {
  if (kind_ == TypeKind::kRow) row_ = std::make_unique<JsonObjectReader>(type_.children(), options);
  if (kind_ == TypeKind::kArray || kind_ == TypeKind::kMap)
    element_ = std::make_unique<JsonFieldReader>(type_.children().back(), options);
}

JsonFieldReader::JsonFieldReader(JsonFieldReader&&) noexcept = default;
JsonFieldReader::~JsonFieldReader() = default;

bool JsonFieldReader::read(JsonCursor& c, ColumnBuilder& out) {
  if (c.now() == 'n') return read_null(c, out);
  switch (kind_) {
    case TypeKind::kBoolean: return read_boolean(c, out);
    case TypeKind::kInt:
    case TypeKind::kBigint: return read_whole(c, out);
    case TypeKind::kDouble: return read_double_value(c, out);
    case TypeKind::kDecimal: return read_decimal(c, out);
    case TypeKind::kVarchar: return read_varchar(c, out);
    case TypeKind::kBytea: return read_bytea(c, out);
    case TypeKind::kDate: return read_date(c, out);
    case TypeKind::kTimestamp: return read_timestamp(c, out);
    case TypeKind::kInterval: return read_interval(c, out);
    case TypeKind::kRow:
      if (c.now() != '{') return mismatch(c, c.here());
      if (!row_->read(c, {&out.child(0), type_.children().size()})) return false;
      out.end_row();
      return true;
    case TypeKind::kArray: return read_array(c, out);
    case TypeKind::kMap: return read_map(c, out);
    case TypeKind::kJson: return read_json(c, out);
  }
  return false;
}

bool JsonFieldReader::read_null(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  if (!c.skip()) return false;
  if (!nullable_) return c.fail(at, "null, and declared not null");
  out.append_null();
  return true;
}

std::optional<std::string_view> JsonFieldReader::text(JsonCursor& c) {
  const std::string_view raw = c.raw_text();
  if (!c.has_escape(raw)) [[likely]]
    return raw;
  scratch_.clear();
  JsonEscapeError error;
  if (append_unescaped(scratch_, raw, error)) return std::string_view(scratch_.as<char>(), scratch_.size());
  c.fail(error.at, fmt::format("{} at byte {}", error.text, c.offset(error.at)));
  return std::nullopt;
}

bool JsonFieldReader::read_whole(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  std::int64_t value = 0;
  JsonNumber status;
  if (*at == '"') {
    // Numbers beyond 2^53 often travel as text; the digits alone count, not 1.0 or 1e3.
    const auto digits = text(c);
    if (!digits) return false;
    status = read_bigint_text(*digits, value);
  } else {
    status = read_bigint(at, value);
  }
  if (status == JsonNumber::kOk && kind_ == TypeKind::kInt && value != static_cast<std::int32_t>(value))
    status = JsonNumber::kRange;
  if (status != JsonNumber::kOk) [[unlikely]] {
    if (status == JsonNumber::kSyntax) return mismatch(c, at);
    const char* why = status == JsonNumber::kRange ? "does not fit" : "is not whole, so it does not fit";
    return c.fail(at, fmt::format("{} {} {}", describe_json(at), why, type_.name()));
  }
  kind_ == TypeKind::kInt ? out.append_int(static_cast<std::int32_t>(value)) : out.append_bigint(value);
  c.step();
  return true;
}

bool JsonFieldReader::read_double_value(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  double value = 0;
  JsonNumber status;
  if (*at == '"') {
    const auto digits = text(c);
    if (!digits) return false;
    status = read_double_text(*digits, value);
  } else {
    status = read_double(at, value);
  }
  if (status == JsonNumber::kSyntax) [[unlikely]]
    return mismatch(c, at);
  if (status != JsonNumber::kOk) [[unlikely]]
    return c.fail(at, fmt::format("{} does not fit double", describe_json(at)));
  out.append_double(value);
  c.step();
  return true;
}

bool JsonFieldReader::read_decimal(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  std::string_view digits;
  if (*at == '"') {
    const auto unescaped = text(c);
    if (!unescaped) return false;
    digits = trim_blanks(*unescaped);
  } else if (const char* end = end_of_number(at)) {
    digits = {at, static_cast<std::size_t>(end - at)};
  }
  const ParsedDecimal d = parse_decimal(digits, type_.scale());
  if (d.status == ParsedDecimal::Status::kSyntax) return mismatch(c, at);
  if (d.status == ParsedDecimal::Status::kOverflow || !fits_digits(d.value, type_.precision()))
    return c.fail(at, fmt::format("{} does not fit {}", describe_json(at), type_.name()));
  out.append_decimal(d.value);
  c.step();
  return true;
}

bool JsonFieldReader::read_array(JsonCursor& c, ColumnBuilder& out) {
  if (c.now() != '[') return mismatch(c, c.here());
  ColumnBuilder& items = out.child(0);
  const std::int64_t before = items.size();
  const auto failed = [&] {
    while (items.size() > before) items.pop();
    return false;
  };
  c.step();
  if (c.now() == ']') {
    c.step();
    out.end_list();
    return true;
  }
  for (;;) {
    if (!element_->read(c, items)) return c.inside(static_cast<std::size_t>(items.size() - before)), failed();
    const char next = c.now();
    if (next != ',' && next != ']') return c.syntax("`,` or `]`"), failed();
    c.step();
    if (next == ']') break;
  }
  out.end_list();
  return true;
}

}  // namespace weir
