#pragma once
#include <cstddef>

namespace weir {

/// How points in time are written in text formats, and which forms are taken.
enum class TimestampFormat {
  kAuto,          ///< reading: any of the below, numbers by their size (point_in_time.h). Writing: as kIso
  kIso,           ///< `2024-01-01T00:00:00.123Z`
  kSql,           ///< `2024-01-01 00:00:00.123`
  kEpochSeconds,  ///< a number, as the following; with a fraction where there is one
  kEpochMillis,
  kEpochMicros,
  kEpochNanos,
};

/// How JSON records are read and written.
struct JsonOptions {
  // Change results.
  bool ignore_unknown = true;  ///< false: a member that is no field is an error
  bool missing_fails = false;  ///< true: a field without a member is an error, also in rows within
  TimestampFormat timestamp = TimestampFormat::kAuto;
  bool whole_document = false;     ///< the only column, of type json, takes the whole object
  std::size_t longest = 64 << 20;  ///< bytes of a record; longer ones are errors

  // Change only speed and memory.
  std::size_t chunk = 32 << 10;  ///< bytes whose tokens are found in one go
};

}  // namespace weir
