#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/data/type.h"

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
/// `hour`, `hours`, `ISODOW`, …
std::optional<TimeField> time_field_named(std::string_view name);
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
/// Fractions go down: a month is 30 days, a day 24 hours.
std::optional<Interval> multiply_interval(const Interval& a, double factor);

}  // namespace weir::expr
