#include "runtime/data/json_text.h"

#include <charconv>
#include <cmath>

#include "runtime/base/time.h"
#include "runtime/base/utf8.h"
#include "runtime/data/base64.h"
#include "runtime/data/value_text.h"

namespace weir {

namespace {

void append_list(std::string& out, const Column& c, std::int64_t i) {
  const bool map = c.type().kind() == TypeKind::kMap;
  out += map ? '{' : '[';
  for (std::int32_t e = c.offsets()[i]; e < c.offsets()[i + 1]; ++e) {
    if (e > c.offsets()[i]) out += ',';
    if (map) {
      append_json_string(out, c.children()[0]->text(e));
      out += ':';
    }
    append_json(out, *c.children().back(), e);
  }
  out += map ? '}' : ']';
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
      ++i;
    } else if (c < 0x20) {
      switch (c) {
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
      }
      ++i;
    } else if (const std::size_t n = utf8_length(text.substr(i))) {
      out.append(text, i, n);
      i += n;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  out += '"';
}

void append_compact_json(std::string& out, std::string_view json) {
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (blank(json[i])) continue;
    out += json[i];
    if (json[i] != '"') continue;
    while (++i < json.size()) {
      out += json[i];
      if (json[i] == '"') break;
      if (json[i] == '\\' && i + 1 < json.size()) out += json[++i];
    }
  }
}

void append_iso_date(std::string& out, std::int64_t days) {
  const CivilDate d = civil_from_days(days);
  if (d.year >= 1 && d.year <= 9999) return append_date(out, days);
  if (d.year == 0) out += "0000";
  else fmt::format_to(std::back_inserter(out), "{:+05}", d.year);
  fmt::format_to(std::back_inserter(out), "-{:02}-{:02}", d.month, d.day);
}

void append_json(std::string& out, const Column& c, std::int64_t i) {
  if (!c.valid(i)) {
    out += "null";
    return;
  }
  switch (c.type().kind()) {
    case TypeKind::kBoolean: out += c.boolean(i) ? "true" : "false"; return;
    case TypeKind::kDouble: {
      const double v = c.values<double>()[i];
      const bool finite = std::isfinite(v);
      if (!finite) out += '"';
      append_value(out, c, i);
      if (!finite) out += '"';
      return;
    }
    case TypeKind::kDecimal: {
      append_value(out, c, i);
      if (c.type().scale()) {
        while (out.back() == '0') out.pop_back();
        if (out.back() == '.') out.pop_back();
      }
      return;
    }
    case TypeKind::kInt:
    case TypeKind::kBigint: return append_value(out, c, i);
    case TypeKind::kVarchar: return append_json_string(out, c.text(i));
    case TypeKind::kJson: return append_compact_json(out, c.text(i));
    case TypeKind::kBytea:
      out += '"';
      append_base64(out, c.text(i));
      out += '"';
      return;
    case TypeKind::kTimestamp:
      out += '"';
      append_iso(out, {c.values<std::int64_t>()[i]});
      out += '"';
      return;
    case TypeKind::kDate:
      out += '"';
      append_iso_date(out, c.values<std::int32_t>()[i]);
      out += '"';
      return;
    case TypeKind::kInterval:
      out += '"';
      append_value(out, c, i);
      out += '"';
      return;
    case TypeKind::kRow:
      out += '{';
      for (std::size_t k = 0; k < c.children().size(); ++k) {
        if (k) out += ',';
        append_json_string(out, c.type().children()[k].name);
        out += ':';
        append_json(out, *c.children()[k], i);
      }
      out += '}';
      return;
    case TypeKind::kArray:
    case TypeKind::kMap: return append_list(out, c, i);
  }
}

}  // namespace weir
