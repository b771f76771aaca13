#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/data/type.h"

namespace weir {

/// Which texts are taken for a timestamp.
enum class TimestampText {
  kAny,  ///< both of the below, a zone in either, and a date alone
  kIso,  ///< `2024-01-01T00:00[:00[.f]][Z | +hh[:mm]]`; without a zone UTC
  kSql,  ///< `2024-01-01 00:00:00[.f]`
};

/// Reads a point in time as microseconds since 1970-01-01T00:00:00Z: the fast and strict way for records and settings (casts
/// take more, see runtime/expr). The day must exist; 24:00:00 is the next day and second 60 the next minute; a comma may
/// stand for the point; digits behind the microsecond are rounded. Years have four digits, or a sign and up to seven. No
/// blanks around. False if it is none.
bool parse_timestamp(std::string_view text, TimestampText form, std::int64_t& micros);

/// Reads exactly `2024-01-31` (years as above) as days since 1970-01-01. False if there is no such day.
bool parse_plain_date(std::string_view text, std::int32_t& days);

}  // namespace weir
