#include "runtime/expr/text/calendar.h"

#include <cmath>
#include <limits>

#include "runtime/base/time.h"
#include "runtime/expr/text/parse_text.h"

namespace weir::expr {

std::optional<TimeField> time_field_named(std::string_view name) {
  struct Name {
    std::string_view name;
    TimeField field;
  };
  using enum TimeField;
  static constexpr Name kNames[] = {{"microsecond", kMicroseconds},
                                    {"microseconds", kMicroseconds},
                                    {"microsecon", kMicroseconds},
                                    {"us", kMicroseconds},
                                    {"usec", kMicroseconds},
                                    {"usecs", kMicroseconds},
                                    {"useconds", kMicroseconds},
                                    {"millisecond", kMilliseconds},
                                    {"milliseconds", kMilliseconds},
                                    {"millisecon", kMilliseconds},
                                    {"ms", kMilliseconds},
                                    {"msec", kMilliseconds},
                                    {"msecs", kMilliseconds},
                                    {"mseconds", kMilliseconds},
                                    {"second", kSecond},
                                    {"seconds", kSecond},
                                    {"sec", kSecond},
                                    {"secs", kSecond},
                                    {"s", kSecond},
                                    {"minute", kMinute},
                                    {"minutes", kMinute},
                                    {"min", kMinute},
                                    {"mins", kMinute},
                                    {"m", kMinute},
                                    {"hour", kHour},
                                    {"hours", kHour},
                                    {"hr", kHour},
                                    {"hrs", kHour},
                                    {"h", kHour},
                                    {"day", kDay},
                                    {"days", kDay},
                                    {"d", kDay},
                                    {"week", kWeek},
                                    {"weeks", kWeek},
                                    {"w", kWeek},
                                    {"month", kMonth},
                                    {"months", kMonth},
                                    {"mon", kMonth},
                                    {"mons", kMonth},
                                    {"quarter", kQuarter},
                                    {"qtr", kQuarter},
                                    {"year", kYear},
                                    {"years", kYear},
                                    {"yr", kYear},
                                    {"yrs", kYear},
                                    {"y", kYear},
                                    {"decade", kDecade},
                                    {"decades", kDecade},
                                    {"dec", kDecade},
                                    {"decs", kDecade},
                                    {"century", kCentury},
                                    {"centuries", kCentury},
                                    {"cent", kCentury},
                                    {"c", kCentury},
                                    {"millennium", kMillennium},
                                    {"millennia", kMillennium},
                                    {"mil", kMillennium},
                                    {"mils", kMillennium},
                                    {"dow", kDayOfWeek},
                                    {"isodow", kIsoDayOfWeek},
                                    {"doy", kDayOfYear},
                                    {"isoyear", kIsoYear},
                                    {"epoch", kEpoch},
                                    {"julian", kJulian},
                                    {"jd", kJulian},
                                    {"j", kJulian}};
  for (const Name& n : kNames)
    if (equal_ignoring_case(name, n.name)) return n.field;
  return std::nullopt;
}

bool is_time_of_day(TimeField field) { return field <= TimeField::kHour; }

int scale_of(TimeField field) {
  switch (field) {
    case TimeField::kSecond:
    case TimeField::kEpoch: return 6;
    case TimeField::kMilliseconds: return 3;
    default: return 0;
  }
}

namespace {

/// 1 to 7, Monday to Sunday; 1970-01-01 was a Thursday.
std::int64_t iso_day_of_week(std::int64_t day) { return ((day + 3) % 7 + 7) % 7 + 1; }

/// The year that the ISO week of a day belongs to (that of its Thursday), and its number from 1.
std::pair<std::int64_t, std::int64_t> iso_week(std::int64_t day) {
  const std::int64_t thursday = day - iso_day_of_week(day) + 4;
  const std::int64_t year = civil_from_days(thursday).year;
  return {year, (thursday - days_from_civil(year, 1, 1)) / 7 + 1};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

/// The number of a span of years that begins with a year 1, there being no year 0: 2000 is in century 20.
std::int64_t counted_span(std::int64_t year, std::int64_t span) {
  return year > 0 ? (year + span - 1) / span : -((span - year) / span);
}

std::optional<std::int64_t> at_midnight(std::int64_t day) {
  std::int64_t micros;
  if (__builtin_mul_overflow(day, kMicrosPerDay, &micros)) return std::nullopt;
  return micros;
}

/// 0 is a leap year, too (the proleptic Gregorian calendar).
unsigned days_in_month(std::int64_t year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

}  // namespace

std::int64_t extract_field(TimeField field, std::int64_t t) {
  const auto [day, micros] = split_timestamp(t);
  switch (field) {
    case TimeField::kEpoch: return t;
    case TimeField::kMicroseconds:
    case TimeField::kMilliseconds:
    case TimeField::kSecond: return micros % (60 * kMicrosPerSecond);
    case TimeField::kMinute: return micros / (60 * kMicrosPerSecond) % 60;
    case TimeField::kHour: return micros / (3600 * kMicrosPerSecond);
    case TimeField::kDayOfWeek: return iso_day_of_week(day) % 7;
    case TimeField::kIsoDayOfWeek: return iso_day_of_week(day);
    case TimeField::kWeek: return iso_week(day).second;
    case TimeField::kIsoYear: return iso_week(day).first;
    case TimeField::kJulian: return day + 2440588;
    default: break;
  }
  const CivilDate d = civil_from_days(day);
  switch (field) {
    case TimeField::kDay: return d.day;
    case TimeField::kMonth: return d.month;
    case TimeField::kQuarter: return (d.month + 2) / 3;
    case TimeField::kDayOfYear: return day - days_from_civil(d.year, 1, 1) + 1;
    case TimeField::kDecade: return floor_div(d.year, 10);
    case TimeField::kCentury: return counted_span(d.year, 100);
    case TimeField::kMillennium: return counted_span(d.year, 1000);
    default: return d.year;
  }
}

std::optional<std::int64_t> extract_field(TimeField field, const Interval& v) {
  switch (field) {
    case TimeField::kEpoch: {
      // A year is 365.25 days here, a month of the rest 30.
      const Int128 seconds = Int128{v.months / 12} * 31557600 + Int128{v.months % 12} * 2592000 + Int128{v.days} * 86400;
      const Int128 micros = seconds * kMicrosPerSecond + v.micros;
      if (micros != static_cast<std::int64_t>(micros)) return std::nullopt;
      return static_cast<std::int64_t>(micros);
    }
    case TimeField::kMicroseconds:
    case TimeField::kMilliseconds:
    case TimeField::kSecond: return v.micros % (60 * kMicrosPerSecond);
    case TimeField::kMinute: return v.micros / (60 * kMicrosPerSecond) % 60;
    case TimeField::kHour: return v.micros / (3600 * kMicrosPerSecond);
    case TimeField::kDay: return v.days;
    case TimeField::kMonth: return v.months % 12;
    case TimeField::kQuarter: return v.months % 12 / 3 + 1;
    case TimeField::kYear: return v.months / 12;
    case TimeField::kDecade: return v.months / 120;
    case TimeField::kCentury: return v.months / 1200;
    case TimeField::kMillennium: return v.months / 12000;
    default: return std::nullopt;
  }
}

std::optional<std::int64_t> truncate_timestamp(TimeField unit, std::int64_t t) {
  const auto within_day = [&](std::int64_t size) { return t - (t % size + (t % size < 0 ? size : 0)); };
  switch (unit) {
    case TimeField::kMicroseconds: return t;
    case TimeField::kMilliseconds: return within_day(1000);
    case TimeField::kSecond: return within_day(kMicrosPerSecond);
    case TimeField::kMinute: return within_day(60 * kMicrosPerSecond);
    case TimeField::kHour: return within_day(3600 * kMicrosPerSecond);
    default: break;
  }
  const std::int64_t day = split_timestamp(t).day;
  if (unit == TimeField::kDay) return at_midnight(day);
  if (unit == TimeField::kWeek) return at_midnight(day - iso_day_of_week(day) + 1);
  const CivilDate d = civil_from_days(day);
  const auto year_begin = [&](std::int64_t year) { return at_midnight(days_from_civil(year, 1, 1)); };
  switch (unit) {
    case TimeField::kMonth: return at_midnight(days_from_civil(d.year, d.month, 1));
    case TimeField::kQuarter: return at_midnight(days_from_civil(d.year, (d.month - 1) / 3 * 3 + 1, 1));
    case TimeField::kYear: return year_begin(d.year);
    case TimeField::kDecade: return year_begin(floor_div(d.year, 10) * 10);
    case TimeField::kCentury: return year_begin(floor_div(d.year - 1, 100) * 100 + 1);
    case TimeField::kMillennium: return year_begin(floor_div(d.year - 1, 1000) * 1000 + 1);
    default: return std::nullopt;
  }
}

std::optional<std::int64_t> add_interval(std::int64_t t, const Interval& v) {
  auto [day, micros] = split_timestamp(t);
  if (v.months) {
    const CivilDate d = civil_from_days(day);
    const std::int64_t month = d.year * 12 + static_cast<std::int64_t>(d.month) - 1 + v.months;
    const std::int64_t year = floor_div(month, 12);
    const auto of_year = static_cast<unsigned>(month - year * 12 + 1);
    day = days_from_civil(year, of_year, std::min(d.day, days_in_month(year, of_year)));
  }
  const std::optional<std::int64_t> midnight = at_midnight(day + v.days);
  std::int64_t out;
  if (!midnight || __builtin_add_overflow(*midnight, micros, &out) || __builtin_add_overflow(out, v.micros, &out))
    return std::nullopt;
  return out;
}

std::optional<Interval> timestamp_difference(std::int64_t a, std::int64_t b) {
  std::int64_t micros;
  if (__builtin_sub_overflow(a, b, &micros)) return std::nullopt;
  return Interval{0, static_cast<std::int32_t>(micros / kMicrosPerDay), micros % kMicrosPerDay};
}

std::optional<Interval> add_intervals(const Interval& a, const Interval& b) {
  Interval out;
  if (__builtin_add_overflow(a.months, b.months, &out.months) || __builtin_add_overflow(a.days, b.days, &out.days) ||
      __builtin_add_overflow(a.micros, b.micros, &out.micros))
    return std::nullopt;
  return out;
}

std::optional<Interval> negate_interval(const Interval& a) { return multiply_interval(a, std::int64_t{-1}); }

std::optional<Interval> multiply_interval(const Interval& a, std::int64_t factor) {
  Interval out;
  if (__builtin_mul_overflow(a.months, factor, &out.months) || __builtin_mul_overflow(a.days, factor, &out.days) ||
      __builtin_mul_overflow(a.micros, factor, &out.micros))
    return std::nullopt;
  return out;
}

namespace {

/// To six places, as PostgreSQL rounds at every step: products of decimal fractions come out a little off.
double rounded(double v) { return std::nearbyint(v * 1e6) / 1e6; }

/// An interval of these parts, fractions carried down: those of a month to days of 30, those of a day to seconds.
std::optional<Interval> with_fractions(double months, double days, double micros) {
  constexpr double kSecondsOfDay = 86'400, kDaysOfMonth = 30;
  const double month_days = rounded((months - std::trunc(months)) * kDaysOfMonth);
  double seconds = rounded((days - std::trunc(days) + month_days - std::trunc(month_days)) * kSecondsOfDay);
  double whole_days = std::trunc(days) + std::trunc(month_days);
  if (std::fabs(seconds) >= kSecondsOfDay) {
    const double carried = std::trunc(seconds / kSecondsOfDay);
    whole_days += carried;
    seconds -= carried * kSecondsOfDay;
  }
  micros = std::nearbyint(micros + seconds * static_cast<double>(kMicrosPerSecond));
  const auto fits = [](double v, double limit) { return v > -limit && v < limit; };
  if (!fits(months, 2147483648.0) || !fits(whole_days, 2147483648.0) || !fits(micros, 9223372036854775808.0))
    return std::nullopt;
  return Interval{static_cast<std::int32_t>(months), static_cast<std::int32_t>(whole_days),
                  static_cast<std::int64_t>(micros)};
}

}  // namespace

std::optional<Interval> multiply_interval(const Interval& a, double factor) {
  return with_fractions(a.months * factor, a.days * factor, static_cast<double>(a.micros) * factor);
}

std::optional<Interval> divide_interval(const Interval& a, double divisor) {
  return with_fractions(a.months / divisor, a.days / divisor, static_cast<double>(a.micros) / divisor);
}

Interval with_fields(const Interval& a, const IntervalFields& fields) {
  Interval out = a;
  const auto cut = [&](std::int64_t unit) { out.micros -= out.micros % unit; };
  switch (fields.last) {
    case TimeField::kYear: out = {a.months / 12 * 12, 0, 0}; break;
    case TimeField::kMonth: out = {a.months, 0, 0}; break;
    case TimeField::kDay: out.micros = 0; break;
    case TimeField::kHour: cut(3600 * kMicrosPerSecond); break;
    case TimeField::kMinute: cut(60 * kMicrosPerSecond); break;
    default: break;
  }
  std::int64_t unit = 1;
  for (int places = fields.places; places < 6; ++places) unit *= 10;
  const std::int64_t half = unit / 2;
  std::int64_t moved;
  if (!__builtin_add_overflow(out.micros, out.micros < 0 ? -half : half, &moved)) out.micros = moved - moved % unit;
  return out;
}

}  // namespace weir::expr
