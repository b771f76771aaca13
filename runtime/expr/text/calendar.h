#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/data/type.h"
#include "runtime/expr/text/parse_value.h"

namespace weir::expr {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

/// Days since 1970-01-01 and the microseconds since midnight, also before 1970.
struct DayAndTime {
  std::int64_t day;
  std::int64_t micros;
};
inline DayAndTime split_timestamp(std::int64_t micros) {
  std::int64_t day = micros / kMicrosPerDay, rest = micros % kMicrosPerDay;
  if (rest < 0) rest += kMicrosPerDay, --day;
  return {day, rest};
}

/// What extract and date_trunc ask for.
enum class TimeField {
  kMicroseconds,
  kMilliseconds,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kDayOfWeek,     ///< Sunday is 0
  kIsoDayOfWeek,  ///< Monday is 1
  kDayOfYear,
  kIsoYear,
  kEpoch,
  kJulian,
};
/// `hour`, `hours`, `hr`, `h`, `ISODOW`, …: all names and abbreviations of PostgreSQL.
std::optional<TimeField> time_field_named(std::string_view name);
/// True for hours and what is smaller.
bool is_time_of_day(TimeField field);
/// How many digits behind the point extract gives for the field.
int scale_of(TimeField field);

/// The field's value times 10^scale_of(field).
std::int64_t extract_field(TimeField field, std::int64_t timestamp);
/// Nothing if the field is none of an interval (dow, week, …).
std::optional<std::int64_t> extract_field(TimeField field, const Interval& interval);

/// The beginning of the unit that the time lies in; nothing if that is out of range or the field is no unit.
std::optional<std::int64_t> truncate_timestamp(TimeField unit, std::int64_t timestamp);

/// Months first (the day is cut to the month's length), then days, then the rest. Nothing when out of range.
std::optional<std::int64_t> add_interval(std::int64_t timestamp, const Interval& interval);
/// The time from b to a in days and microseconds of one sign.
std::optional<Interval> timestamp_difference(std::int64_t a, std::int64_t b);

std::optional<Interval> add_intervals(const Interval& a, const Interval& b);
std::optional<Interval> negate_interval(const Interval& a);
std::optional<Interval> multiply_interval(const Interval& a, std::int64_t factor);
/// Fractions go down as in PostgreSQL: a month is 30 days, a day 24 hours, each step rounded to six places.
std::optional<Interval> multiply_interval(const Interval& a, double factor);
std::optional<Interval> divide_interval(const Interval& a, double divisor);

/// The fields of an interval type: `interval day to minute` is kDay to kMinute, `interval(3)` has three places of seconds.
struct IntervalFields {
  TimeField first = TimeField::kYear, last = TimeField::kSecond;
  int places = 6;
};
/// The interval without what is smaller than the last field, seconds rounded to the places.
Interval with_fields(const Interval& a, const IntervalFields& fields);
/// As weir::parse_interval; a number without a unit is one of the last field, `2:03` of `minute to second` minutes and
/// seconds.
ParseStatus parse_interval(std::string_view text, const IntervalFields& fields, Interval& out);

}  // namespace weir::expr
