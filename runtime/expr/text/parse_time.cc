#include <limits>

#include "runtime/base/time.h"
#include "runtime/data/second_fraction.h"
#include "runtime/expr/text/parse_text.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

using namespace expr;

namespace {

constexpr std::int64_t kSecond = 1'000'000, kDay = 86'400 * kSecond;

constexpr unsigned days_in(std::int64_t year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

std::size_t leading_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

/// One or two digits.
bool take_one_or_two(std::string_view& text, std::int64_t& out) {
  return take_digits(text, 2, out) || take_digits(text, 1, out);
}

/// `2024-02-29`, `2024-2-9`, `2024/2/9`, `20240229`, `12024-02-29`, `+12024-02-29`. There is no year 0, and years before 1
/// are written with BC.
ParseStatus take_date(std::string_view& text, bool before_christ, std::int64_t& days) {
  constexpr std::size_t kLongestYear = 7;
  std::int64_t year = 0, month = 0, day = 0;
  std::string_view rest = text;
  const bool is_signed = take(rest, '+');
  const std::size_t digits = leading_digits(rest);
  if (digits == 8 && !is_signed) {
    take_digits(rest, 4, year), take_digits(rest, 2, month), take_digits(rest, 2, day);
  } else {
    if (digits < (is_signed ? 4 : 3) || digits > kLongestYear || !take_digits(rest, digits, year))
      return ParseStatus::kSyntax;
    const char separator = take(rest, '/') ? '/' : '-';
    if (separator == '-' && !take(rest, '-')) return ParseStatus::kSyntax;
    if (!take_one_or_two(rest, month) || !take(rest, separator) || !take_one_or_two(rest, day)) return ParseStatus::kSyntax;
    if (!rest.empty() && is_digit(rest[0])) return ParseStatus::kSyntax;
  }
  if (year < 1 || (before_christ && is_signed)) return ParseStatus::kRange;
  if (before_christ) year = 1 - year;
  if (month < 1 || month > 12 || day < 1 || day > days_in(year, static_cast<unsigned>(month))) return ParseStatus::kRange;
  days = days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  text = rest;
  return ParseStatus::kOk;
}

/// `12:34`, `1:02:03`, `12:34:56.789`, `123456`; 24:00:00 is the end of the day, second 60 the next minute.
ParseStatus take_clock(std::string_view& text, std::int64_t& micros) {
  std::int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  bool seconds = leading_digits(text) == 6;
  if (seconds) {
    take_digits(text, 2, hour), take_digits(text, 2, minute), take_digits(text, 2, second);
  } else {
    if (!take_one_or_two(text, hour) || !take(text, ':') || !take_one_or_two(text, minute)) return ParseStatus::kSyntax;
    seconds = take(text, ':');
    if (seconds && !take_one_or_two(text, second)) return ParseStatus::kSyntax;
  }
  if (seconds && (take(text, '.') || take(text, ',')) && !take_fraction(text, 15, fraction)) return ParseStatus::kSyntax;
  micros = (hour * 3600 + minute * 60 + second) * kSecond + micros_of_fraction(fraction, 1e15);
  return minute > 59 || second > 60 || (hour > 23 && micros > kDay) ? ParseStatus::kRange : ParseStatus::kOk;
}

/// `Z`, `+01`, `+0100`, `+01:00`, or nothing; what must be subtracted to come to UTC.
ParseStatus take_offset(std::string_view& text, std::int64_t& micros) {
  micros = 0;
  if (text.empty()) return ParseStatus::kOk;
  if (take(text, 'Z') || take(text, 'z')) return ParseStatus::kOk;
  if (equal_ignoring_case(text, "utc")) return text.remove_prefix(3), ParseStatus::kOk;
  const bool negative = text[0] == '-';
  if (!take(text, '+') && !take(text, '-')) return ParseStatus::kSyntax;
  std::int64_t hour = 0, minute = 0;
  if (!take_digits(text, 2, hour)) return ParseStatus::kSyntax;
  if (take(text, ':')) {
    if (!take_digits(text, 2, minute)) return ParseStatus::kSyntax;
  } else {
    take_digits(text, 2, minute);
  }
  micros = (hour * 60 + minute) * 60 * kSecond * (negative ? -1 : 1);
  return hour > 15 || minute > 59 ? ParseStatus::kRange : ParseStatus::kOk;
}

/// Takes ` BC` (or ` AD`) from the end; true if it was BC.
bool take_era(std::string_view& text) {
  if (text.size() < 3 || !is_blank(text[text.size() - 3])) return false;
  const std::string_view era = text.substr(text.size() - 2);
  const bool before_christ = equal_ignoring_case(era, "bc");
  if (before_christ || equal_ignoring_case(era, "ad")) text = trim_blanks(text.substr(0, text.size() - 3));
  return before_christ;
}

/// A date, then perhaps a time of day, an offset and an era.
ParseStatus take_date_and_time(std::string_view text, std::int64_t& days, std::int64_t& micros) {
  micros = 0;
  const bool before_christ = take_era(text);
  if (const ParseStatus s = take_date(text, before_christ, days); s != ParseStatus::kOk) return s;
  if (text.empty()) return ParseStatus::kOk;
  if (text[0] != 'T' && text[0] != 't' && !is_blank(text[0])) return ParseStatus::kSyntax;
  text.remove_prefix(1);
  text = trim_blanks(text);
  std::int64_t offset = 0;
  if (const ParseStatus s = take_clock(text, micros); s != ParseStatus::kOk) return s;
  text = trim_blanks(text);
  if (const ParseStatus s = take_offset(text, offset); s != ParseStatus::kOk) return s;
  if (!text.empty()) return ParseStatus::kSyntax;
  micros -= offset;
  return ParseStatus::kOk;
}

}  // namespace

ParseStatus parse_date(std::string_view text, std::int32_t& out) {
  text = trim_blanks(text);
  if (equal_ignoring_case(text, "epoch")) return out = 0, ParseStatus::kOk;
  std::int64_t days = 0, micros = 0;
  if (const ParseStatus s = take_date_and_time(text, days, micros); s != ParseStatus::kOk) return s;
  if (days < std::numeric_limits<std::int32_t>::min() || days > std::numeric_limits<std::int32_t>::max())
    return ParseStatus::kRange;
  out = static_cast<std::int32_t>(days);
  return ParseStatus::kOk;
}

ParseStatus parse_timestamp(std::string_view text, std::int64_t& out) {
  text = trim_blanks(text);
  if (equal_ignoring_case(text, "epoch")) return out = 0, ParseStatus::kOk;
  std::int64_t days = 0, micros = 0;
  if (const ParseStatus s = take_date_and_time(text, days, micros); s != ParseStatus::kOk) return s;
  const Int128 exact = Int128{days} * kDay + micros;
  out = static_cast<std::int64_t>(exact);
  return out == exact ? ParseStatus::kOk : ParseStatus::kRange;
}

}  // namespace weir
