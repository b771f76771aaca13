#pragma once
#include <cstddef>

namespace weir {

/// How points in time are written in text formats, and which forms are taken.
enum class TimestampFormat {
  kAuto,  ///< reading: any of the below; a number of ten digits before the point is seconds, others milliseconds. Writing:
          ///< as kIso
  kIso,   ///< `2024-01-01T00:00:00.123Z`
  kSql,   ///< `2024-01-01 00:00:00.123`
  kEpochMillis,  ///< a number; with a fraction for microseconds
  kEpochSeconds,
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
