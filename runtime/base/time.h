#pragma once
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace weir {

/// A span of event or wall time in microseconds; may be negative.
struct Duration {
  std::int64_t micros = 0;
  static constexpr Duration milliseconds(std::int64_t n) { return {n * 1000}; }
  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000}; }
  auto operator<=>(const Duration&) const = default;
};

/// A point in time: microseconds since 1970-01-01T00:00:00Z. Event times and watermarks.
struct Timestamp {
  std::int64_t micros = 0;
  auto operator<=>(const Timestamp&) const = default;
  /// The watermark of a stream of which nothing is known yet: no row is late.
  static constexpr Timestamp none() { return {std::numeric_limits<std::int64_t>::min()}; }
  /// The watermark after the end of a bounded input.
  static constexpr Timestamp infinity() { return {std::numeric_limits<std::int64_t>::max()}; }
};
constexpr Timestamp operator+(Timestamp t, Duration d) { return {t.micros + d.micros}; }
constexpr Timestamp operator-(Timestamp t, Duration d) { return {t.micros - d.micros}; }
constexpr Duration operator+(Duration a, Duration b) { return {a.micros + b.micros}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.micros - b.micros}; }
constexpr Duration operator-(Timestamp a, Timestamp b) { return {a.micros - b.micros}; }

/// `2024-01-01T00:00:00.123Z`: as many digits as needed, at least milliseconds. Years outside 0000-9999 have a sign.
std::string format_iso(Timestamp t);
/// Appends what format_iso returns, without allocating beyond `out`'s growth.
void append_iso(std::string& out, Timestamp t);
/// `250ms`, `10s`, `5m`, `1h`, `7d`: the largest unit that divides it exactly; microseconds as `us`.
std::string format_duration(Duration d);
/// How long about, in one unit, for people: `12 s`, `3 min`, `5 h`, `12 days`.
std::string rough_duration(Duration d);

/// Days since 1970-01-01 of a proleptic Gregorian date, and back (Howard Hinnant, "chrono-compatible low-level date
/// algorithms").
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day);
struct CivilDate {
  std::int64_t year;
  unsigned month;  ///< 1-12
  unsigned day;    ///< 1-31
};
CivilDate civil_from_days(std::int64_t days);

/// Where "now" comes from; handed in by the wiring so that tests can set it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Wall time.
  virtual Timestamp now() const = 0;
  /// Time that never jumps; only differences mean something.
  virtual Duration steady() const = 0;
};

/// The machine's clocks.
const Clock& system_clock();

}  // namespace weir
