#include <charconv>

#include "runtime/data/decimal.h"
#include "runtime/data/value_text.h"
#include "runtime/expr/bind/cast.h"
#include "runtime/expr/text/parse_value.h"

namespace weir::expr {

namespace {

/// Text by `print(string&, row)`, kept in the arena.
template <typename Print>
void to_text(const KernelCall& c, Print print) {
  std::string buffer;
  map_text(c, [&](std::int32_t i) {
    buffer.clear();
    print(buffer, i);
    return c.frame.arena.copy(buffer);
  });
}

template <typename T>
void whole_to_text(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    char* to = c.frame.arena.reserve(24);
    return c.frame.arena.keep(static_cast<std::size_t>(std::to_chars(to, to + 24, c[0].value<T>(i)).ptr - to));
  });
}
void double_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) { append_double(out, c[0].value<double>(i)); });
}
void decimal_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) { append_decimal(out, c[0].value<Int128>(i), c[0].type().scale()); });
}
void boolean_to_text(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) { return std::string_view(c[0].boolean(i) ? "true" : "false"); });
}
void date_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) { append_date(out, c[0].value<std::int32_t>(i)); });
}
void timestamp_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) { append_timestamp(out, c[0].value<std::int64_t>(i)); });
}
void interval_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) { append_interval(out, c[0].value<Interval>(i)); });
}
void bytea_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) { append_bytea(out, c[0].text(i)); });
}
void nested_to_text(const KernelCall& c) {
  to_text(c, [&](std::string& out, std::int32_t i) {
    const ValueRef r = c[0].ref(i);
    append_value(out, *r.column, r.row);
  });
}
void same_text(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) { return c[0].text(i); });
}

/// Reads texts with `parse(text, T&)`; what cannot be read is a row error.
template <typename T, typename Parse>
void from_text(const KernelCall& c, Parse parse) {
  map_valid<T>(c, [&](std::int32_t i) {
    T v{};
    const std::string_view text = c[0].text(i);
    if (const ParseStatus s = parse(text, v); s != ParseStatus::kOk) [[unlikely]]
      c.fail(i, parse_failure(s, c.out.type(), text)), v = T{};
    return v;
  });
}

void text_to_boolean(const KernelCall& c) {
  from_text<std::uint8_t>(c, [](std::string_view text, std::uint8_t& out) {
    bool v = false;
    const ParseStatus s = parse_boolean(text, v);
    out = v;
    return s;
  });
}
void text_to_int(const KernelCall& c) { from_text<std::int32_t>(c, parse_int); }
void text_to_bigint(const KernelCall& c) { from_text<std::int64_t>(c, parse_bigint); }
void text_to_double(const KernelCall& c) { from_text<double>(c, parse_double); }
void text_to_date(const KernelCall& c) { from_text<std::int32_t>(c, parse_date); }
void text_to_timestamp(const KernelCall& c) { from_text<std::int64_t>(c, parse_timestamp); }
void text_to_interval(const KernelCall& c) { from_text<Interval>(c, parse_interval); }
void text_to_decimal(const KernelCall& c) {
  const int precision = c.out.type().precision(), scale = c.out.type().scale();
  from_text<Int128>(c, [=](std::string_view text, Int128& out) { return parse_decimal_value(text, precision, scale, out); });
}
void text_to_bytea(const KernelCall& c) {
  std::string bytes;
  from_text<std::string_view>(c, [&](std::string_view text, std::string_view& out) {
    bytes.clear();
    const ParseStatus s = parse_bytea(text, bytes);
    out = c.frame.arena.copy(bytes);
    return s;
  });
}
void text_to_json(const KernelCall& c) {
  from_text<std::string_view>(c, [&](std::string_view text, std::string_view& out) {
    out = text;
    return check_json(text);
  });
}

}  // namespace

void add_text_casts(std::vector<CastRule>& r) {
  using enum TypeKind;
  const auto both = [&](TypeKind k, Kernel to, Kernel from) {
    r.push_back({k, kVarchar, CastContext::kExplicit, to});
    if (from) r.push_back({kVarchar, k, CastContext::kExplicit, from});
  };
  both(kBoolean, boolean_to_text, text_to_boolean);
  both(kInt, whole_to_text<std::int32_t>, text_to_int);
  both(kBigint, whole_to_text<std::int64_t>, text_to_bigint);
  both(kDouble, double_to_text, text_to_double);
  both(kDecimal, decimal_to_text, text_to_decimal);
  both(kDate, date_to_text, text_to_date);
  both(kTimestamp, timestamp_to_text, text_to_timestamp);
  both(kInterval, interval_to_text, text_to_interval);
  both(kBytea, bytea_to_text, text_to_bytea);
  both(kJson, same_text, text_to_json);
  both(kRow, nested_to_text, nullptr);
  both(kArray, nested_to_text, nullptr);
  both(kMap, nested_to_text, nullptr);
}

}  // namespace weir::expr
