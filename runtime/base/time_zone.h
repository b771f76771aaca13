#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// How local clocks of a place are set: the transitions of a zone of the tz database. Immutable; any thread.
///
/// Times are microseconds since 1970-01-01T00:00:00, in UTC or as the local clock shows them.
class TimeZone {
 public:
  /// Reads a zone (`Europe/Berlin`) from the system's database: files in the form of RFC 8536 below $TZDIR, else
  /// /usr/share/zoneinfo. Null, and why, if there is none of that name or its file cannot be read.
  static std::shared_ptr<const TimeZone> load(const std::string& name, std::string& problem);
  /// The same from the bytes of such a file. Null if they are something else.
  static std::shared_ptr<const TimeZone> parse(std::string_view bytes);

  /// What the local clock shows at an instant.
  std::int64_t local_of(std::int64_t instant) const { return instant + span_at(instant).offset; }
  /// The first instant at which the local clock shows `local` or later: the jump, for a time that it leaves out.
  std::int64_t instant_of(std::int64_t local) const;

 private:
  /// From an instant on the clock is `offset` ahead of UTC.
  struct Span {
    std::int64_t from, offset;
  };
  const Span& span_at(std::int64_t instant) const;

  std::vector<Span> spans_;  ///< by time; the first from the beginning of all times on
};

}  // namespace weir
