#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/formats/json/json_options.h"

namespace weir {

/// Points in time as records have them, as microseconds since 1970-01-01T00:00:00Z. Pure functions; one reader for all
/// formats.

/// What reading one came to.
enum class PointInTime {
  kOk,
  kNone,        ///< not of that form
  kNoSuchDay,   ///< the date is no day of the calendar
  kNoSuchTime,  ///< the time of day or the zone is out of range
  kTooLate,     ///< a number that lies behind the year 9999
};

/// Reads a number of JSON's grammar (a sign in front allowed) in one of the epoch forms; kAuto takes it by its size: below
/// 1e11 seconds, below 1e14 milliseconds, below 1e17 microseconds, else nanoseconds. Digits behind the microsecond are
/// rounded.
PointInTime read_epoch(std::string_view number, TimestampFormat format, std::int64_t& micros);
/// Reads a text in any form: kAuto takes a number as read_epoch, and what casts take.
PointInTime read_point_in_time(std::string_view text, TimestampFormat format, std::int64_t& micros);
/// Reads what casts take as a timestamp, and ISO's years before 1 (`0000`, `-0043`).
PointInTime read_point_in_time(std::string_view text, std::int64_t& micros);

/// Whether the text begins with a date that is no day: `2023-02-29`.
bool names_no_day(std::string_view text);

/// `timestamp in epoch seconds`, for messages.
std::string_view name_of(TimestampFormat format);

}  // namespace weir
