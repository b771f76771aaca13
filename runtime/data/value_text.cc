#include <charconv>
#include <cmath>

#include "runtime/base/time.h"
#include "runtime/data/column.h"

namespace weir {

namespace {

template <typename T>
void append_number(std::string& out, T v) {
  char b[32];
  out.append(b, static_cast<std::size_t>(std::to_chars(b, b + sizeof b, v).ptr - b));
}

void append_decimal(std::string& out, Int128 v, int scale) {
  const bool negative = v < 0;
  auto u = negative ? -static_cast<UInt128>(v) : static_cast<UInt128>(v);
  char b[48];
  char* p = b + sizeof b;
  int digits = 0;
  do {
    if (digits == scale && scale) *--p = '.';
    *--p = static_cast<char>('0' + static_cast<int>(u % 10));
    u /= 10;
    ++digits;
  } while (u || digits <= scale);
  if (negative) *--p = '-';
  out.append(p, static_cast<std::size_t>(b + sizeof b - p));
}

void append_interval(std::string& out, const Interval& v) {
  const std::size_t start = out.size();
  const auto part = [&](std::int64_t n, const char* unit) {
    if (!n) return;
    if (out.size() > start) out += ' ';
    append_number(out, n);
    out += ' ';
    out += unit;
    if (n != 1) out += 's';
  };
  part(v.months / 12, "year");
  part(v.months % 12, "mon");
  part(v.days, "day");
  if (v.micros || out.size() == start) {
    if (out.size() > start) out += ' ';
    const bool negative = v.micros < 0;
    const auto u = negative ? -static_cast<std::uint64_t>(v.micros) : static_cast<std::uint64_t>(v.micros);
    if (negative) out += '-';
    fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}", u / 3'600'000'000, u / 60'000'000 % 60, u / 1'000'000 % 60);
    if (auto fraction = u % 1'000'000) {
      std::string f = fmt::format("{:06}", fraction);
      while (f.back() == '0') f.pop_back();
      out += '.' + f;
    }
  }
}

void append_date(std::string& out, std::int64_t days) {
  const CivilDate d = civil_from_days(days);
  if (d.year >= 0 && d.year <= 9999)
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}", d.year, d.month, d.day);
  else
    fmt::format_to(std::back_inserter(out), "{:+}-{:02}-{:02}", d.year, d.month, d.day);
}

void append_timestamp(std::string& out, std::int64_t micros) {
  std::int64_t days = micros / 86'400'000'000, rest = micros % 86'400'000'000;
  if (rest < 0) rest += 86'400'000'000, --days;
  append_date(out, days);
  fmt::format_to(std::back_inserter(out), " {:02}:{:02}:{:02}", rest / 3'600'000'000, rest / 60'000'000 % 60, rest / 1'000'000 % 60);
  if (auto fraction = rest % 1'000'000) {
    std::string f = fmt::format("{:06}", fraction);
    while (f.back() == '0') f.pop_back();
    out += '.' + f;
  }
}

void append_double(std::string& out, double v) {
  if (std::isnan(v)) out += "NaN";
  else if (std::isinf(v)) out += v < 0 ? "-Infinity" : "Infinity";
  else append_number(out, v);
}

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
    case TypeKind::kInt: return append_number(out, c.values<std::int32_t>()[i]);
    case TypeKind::kBigint: return append_number(out, c.values<std::int64_t>()[i]);
    case TypeKind::kDouble: return append_double(out, c.values<double>()[i]);
    case TypeKind::kDecimal: return append_decimal(out, c.values<Int128>()[i], c.type().scale());
    case TypeKind::kDate: return append_date(out, c.values<std::int32_t>()[i]);
    case TypeKind::kTimestamp: return append_timestamp(out, c.values<std::int64_t>()[i]);
    case TypeKind::kInterval: return append_interval(out, c.values<Interval>()[i]);
    case TypeKind::kVarchar:
    case TypeKind::kJson: out += c.text(i); return;
    case TypeKind::kBytea:
      out += "\\x";
      for (const char b : c.text(i)) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(b));
      return;
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
