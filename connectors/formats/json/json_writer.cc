#include "connectors/formats/json/json_writer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <simdjson.h>

#include <charconv>
#include <cmath>

#include "runtime/base/time.h"
#include "runtime/data/base64.h"
#include "runtime/data/decimal.h"
#include "runtime/data/json_text.h"
#include "runtime/data/value_text.h"

namespace weir {

namespace {

constexpr std::int64_t kSecond = 1'000'000, kDay = 86'400 * kSecond;
constexpr std::size_t kDateBound = 16, kTimestampBound = 40, kIntervalBound = 96, kEscaped = 6;

constexpr auto kPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

char* write_pair(char* to, unsigned value) {
  std::memcpy(to, kPairs.data() + 2 * value, 2);
  return to + 2;
}

char* copy(char* to, std::string_view text) {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* quoted(char* to, std::string_view text) {
  *to++ = '"';
  to = copy(to, text);
  *to++ = '"';
  return to;
}

/// Bytes that JSON wants escaped in a text: those below 0x20, the quote and the backslash; one bit a byte, the lowest set
/// one is exact (Mycroft's test for a zero byte).
std::uint64_t escapes_in_eight(std::uint64_t v) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  const std::uint64_t quote = v ^ (kOnes * '"'), backslash = v ^ (kOnes * '\\');
  return ((v - kOnes * 0x20) & ~v & kHigh) | ((quote - kOnes) & ~quote & kHigh) | ((backslash - kOnes) & ~backslash & kHigh);
}

/// Copies eight bytes; not zero if one of them wants escaping.
std::uint64_t copy_eight(char* to, const char* from) {
  std::uint64_t v;
  std::memcpy(&v, from, 8);
  std::memcpy(to, &v, 8);
  return escapes_in_eight(v);
}

/// The same for sixteen bytes.
#ifdef __SSE2__
std::uint64_t copy_sixteen(char* to, const char* from) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
  const __m128i last_control = _mm_set1_epi8(0x1f);
  const __m128i controls = _mm_cmpeq_epi8(_mm_max_epu8(v, last_control), last_control);
  const __m128i quotes = _mm_cmpeq_epi8(v, _mm_set1_epi8('"')), backslashes = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_or_si128(controls, _mm_or_si128(quotes, backslashes))));
}
#else
std::uint64_t copy_sixteen(char* to, const char* from) { return copy_eight(to, from) | copy_eight(to + 8, from + 8); }
#endif

constexpr auto kEscapes = [] {
  std::array<char, 256> kinds{};  // the letter behind the backslash, u for \u00XX, 0 for none
  for (std::size_t i = 0; i < 0x20; ++i) kinds[i] = 'u';
  kinds['\b'] = 'b', kinds['\t'] = 't', kinds['\n'] = 'n', kinds['\f'] = 'f', kinds['\r'] = 'r';
  kinds['"'] = '"', kinds['\\'] = '\\';
  return kinds;
}();

char* write_byte(char* to, char c) {
  const char kind = kEscapes[static_cast<unsigned char>(c)];
  if (!kind) [[likely]] {
    *to++ = c;
    return to;
  }
  *to++ = '\\';
  *to++ = kind;
  if (kind == 'u') {
    constexpr char kHex[] = "0123456789abcdef";
    *to++ = '0';
    *to++ = '0';
    *to++ = kHex[c >> 4 & 15];
    *to++ = kHex[c & 15];
  }
  return to;
}

char* write_escaped(char* to, std::string_view text) {
  const char* p = text.data();
  const char* end = p + text.size();
  while (end - p >= 8) {
    const std::uint64_t found = copy_eight(to, p);
    const int clean = found ? __builtin_ctzll(found) / 8 : 8;
    p += clean, to += clean;
    if (found) to = write_byte(to, *p++);
  }
  while (p < end) to = write_byte(to, *p++);
  return to;
}

/// Copies the text. False if a byte of it wants escaping: then what was copied means nothing. The last bytes are copied
/// together with some before them, so that no loop over single bytes is left at the end.
bool copy_clean(char* to, std::string_view text) {
  const char* from = text.data();
  const std::size_t n = text.size();
  std::uint64_t found = 0;
  if (n >= 16) {
    for (std::size_t i = 0; i < n - 16; i += 16) found |= copy_sixteen(to + i, from + i);
    return !(found | copy_sixteen(to + n - 16, from + n - 16));
  }
  if (n >= 8) return !(copy_eight(to, from) | copy_eight(to + n - 8, from + n - 8));
  for (std::size_t i = 0; i < n; ++i)
    found |= static_cast<std::uint64_t>(kEscapes[static_cast<unsigned char>(to[i] = from[i])]);
  return !found;
}

/// `digits` decimal digits of `fraction` without the zeros at their end, behind a point; nothing for 0.
char* write_fraction(char* to, std::uint64_t fraction, int digits) {
  if (!fraction) return to;
  *to = '.';
  char* end = to + 1 + digits;
  for (char* p = end; p > to + 1; fraction /= 10) *--p = static_cast<char>('0' + fraction % 10);
  while (end[-1] == '0') --end;
  return end;
}

/// Doubles that are decimals of at most 15 digits with `places` behind the point: those digits read back as the same double,
/// and no shorter ones do, as any two decimals of 15 digits are different doubles. Null for the others.
char* write_short_decimal(char* to, double value, int places, double power) {
  constexpr double kFifteenDigits = 1e15;
  const double scaled = value * power;
  if (!(scaled < kFifteenDigits)) return nullptr;
  const auto whole = static_cast<std::uint64_t>(scaled + 0.5);
  if (static_cast<double>(whole) / power != value) return nullptr;
  const auto divisor = static_cast<std::uint64_t>(power);
  to = JsonWriter::write_bigint(to, static_cast<std::int64_t>(whole / divisor));
  return write_fraction(to, whole % divisor, places);
}

/// Micros as a decimal number of units.
char* write_epoch(char* to, std::int64_t micros, std::int64_t unit, int places) {
  if (micros < 0) *to++ = '-';
  const auto u = micros < 0 ? -static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  const auto divisor = static_cast<std::uint64_t>(unit);
  to = JsonWriter::write_bigint(to, static_cast<std::int64_t>(u / divisor));
  return write_fraction(to, u % divisor, places);
}

}  // namespace

std::size_t JsonWriter::fixed_bound(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return 5;
    case TypeKind::kInt: return 11;
    case TypeKind::kBigint: return 20;
    case TypeKind::kDouble: return 32;
    case TypeKind::kDecimal: return 48;
    case TypeKind::kDate: return kDateBound;
    case TypeKind::kTimestamp: return kTimestampBound;
    case TypeKind::kInterval: return kIntervalBound;
    default: return 0;
  }
}

std::size_t JsonWriter::bound(const Column& c, std::int64_t i) {
  constexpr std::size_t kNull = 4, kQuotes = 2;
  if (!c.valid(i)) return kNull;
  switch (c.type().kind()) {
    case TypeKind::kVarchar: return text_bound(c.text(i).size());
    case TypeKind::kBytea: return base64_size(c.text(i).size()) + kQuotes;
    case TypeKind::kJson: return c.text(i).size();
    case TypeKind::kRow: {
      std::size_t n = kQuotes;
      for (std::size_t k = 0; k < c.children().size(); ++k)
        n += c.type().children()[k].name.size() * kEscaped + 4 + bound(*c.children()[k], i);
      return n;
    }
    case TypeKind::kArray:
    case TypeKind::kMap: {
      std::size_t n = kQuotes;
      for (std::int32_t e = c.offsets()[i]; e < c.offsets()[i + 1]; ++e)
        for (const ColumnPtr& child : c.children()) n += 1 + bound(*child, e);
      return n;
    }
    default: return fixed_bound(c.type());
  }
}

char* JsonWriter::write(char* to, const Column& c, std::int64_t i) {
  if (!c.valid(i)) return copy(to, "null");
  switch (c.type().kind()) {
    case TypeKind::kBoolean: return copy(to, c.boolean(i) ? "true" : "false");
    case TypeKind::kInt: return write_bigint(to, c.values<std::int32_t>()[i]);
    case TypeKind::kBigint: return write_bigint(to, c.values<std::int64_t>()[i]);
    case TypeKind::kDouble: return write_double(to, c.values<double>()[i]);
    case TypeKind::kDecimal: return write_decimal(to, c.values<Int128>()[i], c.type().scale());
    case TypeKind::kVarchar: return write_text(to, c.text(i));
    case TypeKind::kBytea: return write_bytea(to, c.text(i));
    case TypeKind::kDate: return write_date(to, c.values<std::int32_t>()[i]);
    case TypeKind::kTimestamp: return write_timestamp(to, c.values<std::int64_t>()[i]);
    case TypeKind::kInterval: {
      std::string text;
      append_interval(text, c.values<Interval>()[i]);
      return quoted(to, text);
    }
    case TypeKind::kRow: return write_row(to, c, i);
    case TypeKind::kArray:
    case TypeKind::kMap: return write_list(to, c, i);
    case TypeKind::kJson: return write_json(to, c.text(i));
  }
  return to;
}

char* JsonWriter::write_row(char* to, const Column& c, std::int64_t i) {
  *to++ = '{';
  for (std::size_t k = 0; k < c.children().size(); ++k) {
    if (k) *to++ = ',';
    to = write_text(to, c.type().children()[k].name);
    *to++ = ':';
    to = write(to, *c.children()[k], i);
  }
  *to++ = '}';
  return to;
}

char* JsonWriter::write_list(char* to, const Column& c, std::int64_t i) {
  const bool map = c.type().kind() == TypeKind::kMap;
  *to++ = map ? '{' : '[';
  for (std::int32_t e = c.offsets()[i]; e < c.offsets()[i + 1]; ++e) {
    if (e > c.offsets()[i]) *to++ = ',';
    if (map) {
      to = write_text(to, c.children()[0]->text(e));
      *to++ = ':';
    }
    to = write(to, *c.children().back(), e);
  }
  *to++ = map ? '}' : ']';
  return to;
}

char* JsonWriter::write_text(char* to, std::string_view text) {
  *to++ = '"';
  to = copy_clean(to, text) ? to + text.size() : write_escaped(to, text);
  *to++ = '"';
  return to;
}

char* JsonWriter::write_bigint(char* to, std::int64_t value) { return std::to_chars(to, to + 20, value).ptr; }

char* JsonWriter::write_double(char* to, double value) {
  if (!std::isfinite(value)) return copy(to, std::isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  if (std::signbit(value)) {
    *to++ = '-';
    value = -value;
  }
  if (char* end = write_short_decimal(to, value, 2, 1e2)) return end;
  if (char* end = write_short_decimal(to, value, 4, 1e4)) return end;
  const bool fixed = value >= 1e-4 && value < 1e15;
  return std::to_chars(to, to + 32, value, fixed ? std::chars_format::fixed : std::chars_format::scientific).ptr;
}

char* JsonWriter::write_decimal(char* to, Int128 value, int scale) {
  constexpr int kMostPlaces = 18;  // 10^18 fits 63 bits
  if (value > -INT64_MAX && value < INT64_MAX && scale <= kMostPlaces) [[likely]] {
    const auto units = static_cast<std::int64_t>(value);
    const auto one = static_cast<std::uint64_t>(power_of_ten(scale));
    const auto digits = static_cast<std::uint64_t>(units < 0 ? -units : units);
    if (units < 0) *to++ = '-';
    to = write_bigint(to, static_cast<std::int64_t>(digits / one));
    return write_fraction(to, digits % one, scale);
  }
  std::string text;
  append_decimal_trimmed(text, value, scale);
  return copy(to, text);
}

char* JsonWriter::write_json(char* to, std::string_view json) {
  std::size_t size = json.size();
  if (simdjson::minify(json.data(), json.size(), to, size)) return copy(to, json);
  return to + size;
}

char* JsonWriter::write_bytea(char* to, std::string_view bytes) {
  *to++ = '"';
  to = write_base64(to, bytes);
  *to++ = '"';
  return to;
}

char* JsonWriter::write_date(char* to, std::int32_t days) {
  std::string text;
  append_iso_date(text, days);
  return quoted(to, text);
}

char* JsonWriter::write_timestamp(char* to, std::int64_t micros) {
  switch (timestamp_) {
    case TimestampFormat::kEpochSeconds: return write_epoch(to, micros, kSecond, 6);
    case TimestampFormat::kEpochMillis: return write_epoch(to, micros, 1000, 3);
    case TimestampFormat::kEpochMicros: return write_bigint(to, micros);
    case TimestampFormat::kEpochNanos: return micros ? copy(write_bigint(to, micros), "000") : write_bigint(to, 0);
    case TimestampFormat::kSql: return write_point_in_time(to, micros, ' ');
    default: return write_point_in_time(to, micros, 'T');
  }
}

char* JsonWriter::write_point_in_time(char* to, std::int64_t micros, char between) {
  std::int64_t day = micros / kDay, rest = micros % kDay;
  if (rest < 0) rest += kDay, --day;
  if (day != day_) {
    std::string date;
    append_iso_date(date, day);
    date_size_ = date.copy(date_, sizeof date_);
    day_ = day;
  }
  *to++ = '"';
  to = copy_short(to, date_, date_size_);
  *to++ = between;
  const auto seconds = static_cast<unsigned>(rest / kSecond), fraction = static_cast<unsigned>(rest % kSecond);
  to = write_pair(to, seconds / 3600);
  *to++ = ':';
  to = write_pair(to, seconds / 60 % 60);
  *to++ = ':';
  to = write_pair(to, seconds % 60);
  *to++ = '.';
  const unsigned millis = fraction / 1000, fine = fraction % 1000;
  *to++ = static_cast<char>('0' + millis / 100);
  to = write_pair(to, millis % 100);
  if (fine) {
    *to++ = static_cast<char>('0' + fine / 100);
    to = write_pair(to, fine % 100);
    while (to[-1] == '0') --to;
  }
  if (between == 'T') *to++ = 'Z';
  *to++ = '"';
  return to;
}

}  // namespace weir
