#include <charconv>
#include <cmath>

#include "runtime/base/time.h"
#include "runtime/data/column.h"
#include "runtime/data/decimal.h"
#include "runtime/data/value_text.h"

namespace weir {

void append_integer(std::string& out, std::int64_t v) {
  char b[24];
  out.append(b, static_cast<std::size_t>(std::to_chars(b, b + sizeof b, v).ptr - b));
}

void append_double(std::string& out, double v) {
  if (std::isnan(v)) {
    out += "NaN";
  } else if (std::isinf(v)) {
    out += v < 0 ? "-Infinity" : "Infinity";
  } else {
    const double a = std::fabs(v);
    const auto format = a == 0 || (a >= 1e-4 && a < 1e15) ? std::chars_format::fixed : std::chars_format::scientific;
    char b[32];
    out.append(b, static_cast<std::size_t>(std::to_chars(b, b + sizeof b, v, format).ptr - b));
  }
}

namespace {

char* two_digits(char* p, std::uint64_t v) {
  *p++ = static_cast<char>('0' + v / 10);
  *p++ = static_cast<char>('0' + v % 10);
  return p;
}

/// `04:05:06.7`, from microseconds that are not negative.
void append_clock(std::string& out, std::uint64_t micros) {
  char b[40];
  char* p = b;
  const std::uint64_t hours = micros / 3'600'000'000;
  p = hours < 100 ? two_digits(p, hours) : std::to_chars(p, p + 20, hours).ptr;
  *p++ = ':';
  p = two_digits(p, micros / 60'000'000 % 60);
  *p++ = ':';
  p = two_digits(p, micros / 1'000'000 % 60);
  if (std::uint64_t fraction = micros % 1'000'000) {
    *p++ = '.';
    int width = 6;
    for (; fraction % 10 == 0; fraction /= 10) --width;
    for (int i = width - 1; i >= 0; --i, fraction /= 10) p[i] = static_cast<char>('0' + fraction % 10);
    p += width;
  }
  out.append(b, static_cast<std::size_t>(p - b));
}

}  // namespace

void append_interval(std::string& out, const Interval& v) {
  const std::size_t start = out.size();
  bool negative_before = false;
  const auto part = [&](std::int64_t n, const char* unit) {
    if (!n) return;
    if (out.size() > start) out += ' ';
    if (negative_before && n > 0) out += '+';
    append_integer(out, n);
    out += ' ';
    out += unit;
    if (n != 1) out += 's';
    negative_before = n < 0;
  };
  part(v.months / 12, "year");
  part(v.months % 12, "mon");
  part(v.days, "day");
  if (v.micros || out.size() == start) {
    if (out.size() > start) out += ' ';
    if (v.micros < 0) out += '-';
    else if (negative_before) out += '+';
    append_clock(out, v.micros < 0 ? -static_cast<std::uint64_t>(v.micros) : static_cast<std::uint64_t>(v.micros));
  }
}

namespace {

/// `2024-02-29`: the year with four digits or more.
void append_day(std::string& out, std::int64_t year, unsigned month, unsigned day) {
  if (year > 9999) {
    fmt::format_to(std::back_inserter(out), "{}-{:02}-{:02}", year, month, day);
    return;
  }
  char b[10];
  char* p = two_digits(two_digits(b, static_cast<std::uint64_t>(year / 100)), static_cast<std::uint64_t>(year % 100));
  *p++ = '-';
  p = two_digits(p, month);
  *p++ = '-';
  two_digits(p, day);
  out.append(b, sizeof b);
}

/// Appends the date; returns what stands at the end of the text: the year 0 is `0001 … BC`.
const char* append_day_of_era(std::string& out, std::int64_t days) {
  const CivilDate d = civil_from_days(days);
  append_day(out, d.year > 0 ? d.year : 1 - d.year, d.month, d.day);
  return d.year > 0 ? "" : " BC";
}

}  // namespace

void append_date(std::string& out, std::int64_t days) { out += append_day_of_era(out, days); }

void append_timestamp(std::string& out, std::int64_t micros) {
  std::int64_t days = micros / 86'400'000'000, rest = micros % 86'400'000'000;
  if (rest < 0) rest += 86'400'000'000, --days;
  const char* era = append_day_of_era(out, days);
  out += ' ';
  append_clock(out, static_cast<std::uint64_t>(rest));
  out += era;
}

void append_bytea(std::string& out, std::string_view v) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\x";
  for (const char c : v) {
    const auto b = static_cast<unsigned char>(c);
    out += kHex[b >> 4];
    out += kHex[b & 15];
  }
}

namespace {

void append_list(std::string& out, const Column& c, std::int64_t i) {
  out += '{';
  for (std::int32_t e = c.offsets()[i]; e < c.offsets()[i + 1]; ++e) {
    if (e > c.offsets()[i]) out += ',';
    append_value(out, *c.children()[0], e);
    if (c.children().size() == 2) {
      out += '=';
      append_value(out, *c.children()[1], e);
    }
  }
  out += '}';
}

}  // namespace

void append_value(std::string& out, const Column& c, std::int64_t i) {
  if (!c.valid(i)) {
    out += "null";
    return;
  }
  switch (c.type().kind()) {
    case TypeKind::kBoolean: out += c.boolean(i) ? 't' : 'f'; return;
    case TypeKind::kInt: return append_integer(out, c.values<std::int32_t>()[i]);
    case TypeKind::kBigint: return append_integer(out, c.values<std::int64_t>()[i]);
    case TypeKind::kDouble: return append_double(out, c.values<double>()[i]);
    case TypeKind::kDecimal: return append_decimal(out, c.values<Int128>()[i], c.type().scale());
    case TypeKind::kDate: return append_date(out, c.values<std::int32_t>()[i]);
    case TypeKind::kTimestamp: return append_timestamp(out, c.values<std::int64_t>()[i]);
    case TypeKind::kInterval: return append_interval(out, c.values<Interval>()[i]);
    case TypeKind::kVarchar:
    case TypeKind::kJson: out += c.text(i); return;
    case TypeKind::kBytea: return append_bytea(out, c.text(i));
    case TypeKind::kRow:
      out += '(';
      for (std::size_t k = 0; k < c.children().size(); ++k) {
        if (k) out += ',';
        append_value(out, *c.children()[k], i);
      }
      out += ')';
      return;
    case TypeKind::kArray:
    case TypeKind::kMap: return append_list(out, c, i);
  }
}

}  // namespace weir
