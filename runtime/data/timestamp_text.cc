#include "runtime/data/timestamp_text.h"

#include <cstring>

#include "runtime/base/time.h"
#include "runtime/data/second_fraction.h"

namespace weir {

namespace {

constexpr std::int64_t kSecond = 1'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool leap(std::int64_t y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }

unsigned days_in_month(std::int64_t year, unsigned month) {
  static constexpr unsigned char kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap(year) ? 29 : kDays[month - 1];
}

/// Reads forward through a text; every reader returns false and may have moved when the text is not what it wants.
struct TimeScanner {
  const char* p;
  const char* end;

  bool at(char c) const { return p < end && *p == c; }
  bool take(char c) { return at(c) && (++p, true); }

  template <int kDigits>
  bool digits(unsigned& value) {
    if (end - p < kDigits) return false;
    value = 0;
    for (int i = 0; i < kDigits; ++i) {
      const auto d = static_cast<unsigned>(p[i] - '0');
      if (d > 9) return false;
      value = value * 10 + d;
    }
    p += kDigits;
    return true;
  }

  bool year(std::int64_t& year) {
    unsigned y = 0;
    if (!at('+') && !at('-')) {
      if (!digits<4>(y)) return false;
      year = y;
      return true;
    }
    const bool negative = *p++ == '-';
    int n = 0;
    for (; n < 7 && p < end && is_digit(*p); ++n) y = y * 10 + static_cast<unsigned>(*p++ - '0');
    year = negative ? -static_cast<std::int64_t>(y) : y;
    return n >= 4;
  }

  bool date(std::int64_t& days) {
    std::int64_t y;
    unsigned m, d;
    if (!year(y) || !take('-') || !digits<2>(m) || !take('-') || !digits<2>(d)) return false;
    if (m - 1 > 11 || d < 1 || d > days_in_month(y, m)) return false;
    days = days_from_civil(y, m, d);
    return true;
  }

  /// `.` or `,` and any number of digits, as microseconds, rounded. Leaves p where it is when there is neither.
  bool fraction(std::int64_t& micros) {
    micros = 0;
    if (!at('.') && !at(',')) return true;
    const char* first = ++p;
    std::int64_t unit = kSecond;
    for (; p < end && is_digit(*p) && unit > 1; ++p) micros += (*p - '0') * (unit /= 10);
    if (p < end && is_digit(*p)) [[unlikely]]
      round_to_micros(micros);
    return p > first;
  }

  /// Takes the digits behind the microseconds that were read.
  void round_to_micros(std::int64_t& micros) {
    std::int64_t read = micros, scale = kSecond;
    for (; p < end && is_digit(*p); ++p)
      if (scale < 1'000'000'000'000'000) read = read * 10 + (*p - '0'), scale *= 10;
    micros = micros_of_fraction(read, static_cast<double>(scale));
  }

  /// Hours, minutes, seconds (60: a leap second, which is the next minute) and a fraction of them; without `needs_seconds`
  /// hours and minutes are enough.
  bool time_of_day(std::int64_t& micros, bool needs_seconds) {
    unsigned h, m, s = 0;
    std::int64_t f = 0;
    if (!digits<2>(h) || !take(':') || !digits<2>(m)) return false;
    if (take(':') ? !digits<2>(s) || !fraction(f) : needs_seconds) return false;
    micros = h * kHour + m * kMinute + s * kSecond + f;
    return m < 60 && s <= 60 && (h < 24 || micros == kDay);
  }

  /// The offset of a zone from UTC: `Z`, `+02`, `+02:00`, `+0200`.
  bool zone(std::int64_t& offset) {
    offset = 0;
    if (take('Z')) return true;
    if (!at('+') && !at('-')) return false;
    const bool negative = *p++ == '-';
    unsigned h, m = 0;
    if (!digits<2>(h)) return false;
    if (p < end && (take(':'), !digits<2>(m))) return false;
    offset = (h * kHour + m * kMinute) * (negative ? -1 : 1);
    return h < 16 && m < 60;
  }
};

std::uint64_t load8(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

/// Reads two digits from the bytes of `v` (little-endian, the value of each digit) at byte `at`.
unsigned pair_at(std::uint64_t v, int at) {
  return static_cast<unsigned>((v >> 8 * at & 0xff) * 10 + (v >> (8 * at + 8) & 0xff));
}

/// True if `v` xor the pattern has digits' values where `limits` has 0x76, zero where it has 0x7f.
bool fits(std::uint64_t v, std::uint64_t limits) { return (((v + limits) | v) & 0x8080808080808080) == 0; }

/// The usual form at once: `YYYY-MM-DD?HH:MM:SS`, with any byte between. False if it is not that, or out of range: then the
/// scanner has the last word.
bool read_fixed(const char* p, std::int64_t& micros) {
  constexpr std::uint64_t kDateLimits = 0x7f76767f76767676, kTimeLimits = 0x76767f76767f7676;
  const std::uint64_t date = load8(p) ^ load8("0000-00-"), time = load8(p + 11) ^ load8("00:00:00");
  const unsigned day_tens = static_cast<unsigned>(p[8] - '0'), day_ones = static_cast<unsigned>(p[9] - '0');
  if (!fits(date, kDateLimits) || !fits(time, kTimeLimits) || day_tens > 9 || day_ones > 9) return false;
  const std::int64_t year = pair_at(date, 0) * 100 + pair_at(date, 2);
  const unsigned month = pair_at(date, 5), day = day_tens * 10 + day_ones;
  const unsigned hour = pair_at(time, 0), minute = pair_at(time, 3), second = pair_at(time, 6);
  if (month - 1 > 11 || day - 1 >= days_in_month(year, month) || hour > 23 || minute > 59 || second > 59) return false;
  micros = days_from_civil(year, month, day) * kDay + hour * kHour + minute * kMinute + second * kSecond;
  return true;
}

/// What follows the seconds: a fraction, and a zone unless the form is SQL's.
bool finish(TimeScanner& s, TimestampText form, std::int64_t& micros) {
  std::int64_t fraction, offset = 0;
  if (!s.fraction(fraction)) return false;
  if (s.p < s.end && (form == TimestampText::kSql || !s.zone(offset))) return false;
  micros += fraction - offset;
  return s.p == s.end;
}

}  // namespace

bool parse_timestamp(std::string_view text, TimestampText form, std::int64_t& micros) {
  constexpr std::size_t kSeparator = 10, kFixed = 19;
  if (text.size() >= kFixed) [[likely]] {
    const char between = text[kSeparator];
    const bool fits_form =
        (between == 'T' && form != TimestampText::kSql) || (between == ' ' && form != TimestampText::kIso);
    if (fits_form && read_fixed(text.data(), micros)) [[likely]] {
      TimeScanner s{text.data() + kFixed, text.data() + text.size()};
      return finish(s, form, micros);
    }
  }
  TimeScanner s{text.data(), text.data() + text.size()};
  std::int64_t days, time = 0, offset = 0;
  if (!s.date(days)) return false;
  if (s.p == s.end) return form == TimestampText::kAny && !__builtin_mul_overflow(days, kDay, &micros);
  const bool iso = s.at('T');
  if (!iso && !s.at(' ')) return false;
  if (form != TimestampText::kAny && iso != (form == TimestampText::kIso)) return false;
  ++s.p;
  if (!s.time_of_day(time, form == TimestampText::kSql)) return false;
  if (s.p < s.end && (form == TimestampText::kSql || !s.zone(offset))) return false;
  const Int128 exact = Int128{days} * kDay + time - offset;
  micros = static_cast<std::int64_t>(exact);
  return s.p == s.end && micros == exact;
}

bool parse_plain_date(std::string_view text, std::int32_t& days) {
  TimeScanner s{text.data(), text.data() + text.size()};
  std::int64_t wide;
  if (!s.date(wide) || s.p != s.end) return false;
  days = static_cast<std::int32_t>(wide);
  return days == wide;
}

}  // namespace weir
