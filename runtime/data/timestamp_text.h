#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/data/type.h"

namespace weir {

/// Which texts are taken for a timestamp.
enum class TimestampText {
  kAny,  ///< both of the below, a zone in either, and a date alone
  kIso,  ///< `2024-01-01T00:00:00[.f][Z | +hh[:mm]]`; without a zone UTC
  kSql,  ///< `2024-01-01 00:00:00[.f]`
};

/// Reads a point in time as microseconds since 1970-01-01T00:00:00Z. The day must exist; 24:00:00 is the next day; more than
/// six fraction digits are rounded. Years have four digits, or a sign and up to six. No blanks around. False if it is none.
bool parse_timestamp(std::string_view text, TimestampText form, std::int64_t& micros);

/// Reads `2024-01-31` as days since 1970-01-01. False if there is no such day.
bool parse_date(std::string_view text, std::int32_t& days);

/// Reads an interval as PostgreSQL prints it, and the usual ways to write one: `1 year 2 mons -3 days 04:05:06.789`, `90 minutes`,
/// `1.5 hours`, `-01:00:00`. Fractions only of weeks and smaller units. False if it is none.
bool parse_interval(std::string_view text, Interval& value);

}  // namespace weir
