#include "runtime/base/time.h"

#include <fmt/format.h>
#include <chrono>

namespace weir {

std::int64_t days_from_civil(std::int64_t y, unsigned m, unsigned d) {
  y -= m <= 2;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = static_cast<unsigned>(y - era * 400);
  const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + static_cast<std::int64_t>(doe) - 719468;
}

CivilDate civil_from_days(std::int64_t z) {
  z += 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const auto doe = static_cast<unsigned>(z - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned d = doy - (153 * mp + 2) / 5 + 1;
  const unsigned m = mp < 10 ? mp + 3 : mp - 9;
  return {static_cast<std::int64_t>(yoe) + era * 400 + (m <= 2), m, d};
}

namespace {

char* two_digits(char* p, unsigned v) {
  *p++ = static_cast<char>('0' + v / 10);
  *p++ = static_cast<char>('0' + v % 10);
  return p;
}

}  // namespace

void append_iso(std::string& out, Timestamp t) {
  constexpr std::int64_t kDay = 86'400'000'000;
  std::int64_t days = t.micros / kDay, rest = t.micros % kDay;
  if (rest < 0) rest += kDay, --days;
  const CivilDate date = civil_from_days(days);
  char buffer[40];
  char* p = buffer;
  if (date.year >= 0 && date.year <= 9999) {
    p = two_digits(p, static_cast<unsigned>(date.year / 100));
    p = two_digits(p, static_cast<unsigned>(date.year % 100));
  } else {
    p = fmt::format_to(p, "{:+05}", date.year);
  }
  *p++ = '-';
  p = two_digits(p, date.month);
  *p++ = '-';
  p = two_digits(p, date.day);
  *p++ = 'T';
  const auto seconds = static_cast<unsigned>(rest / 1'000'000);
  p = two_digits(p, seconds / 3600);
  *p++ = ':';
  p = two_digits(p, seconds / 60 % 60);
  *p++ = ':';
  p = two_digits(p, seconds % 60);
  *p++ = '.';
  const auto micros = static_cast<unsigned>(rest % 1'000'000);
  const unsigned millis = micros / 1000;
  *p++ = static_cast<char>('0' + millis / 100);
  p = two_digits(p, millis % 100);
  if (unsigned fine = micros % 1000) {
    *p++ = static_cast<char>('0' + fine / 100);
    p = two_digits(p, fine % 100);
    while (p[-1] == '0') --p;
  }
  *p++ = 'Z';
  out.append(buffer, static_cast<std::size_t>(p - buffer));
}

std::string format_iso(Timestamp t) {
  std::string s;
  append_iso(s, t);
  return s;
}

std::string format_duration(Duration d) {
  struct Unit {
    std::int64_t micros;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86'400'000'000, "d"}, {3'600'000'000, "h"}, {60'000'000, "m"}, {1'000'000, "s"}, {1000, "ms"}};
  if (d.micros == 0) return "0s";
  for (const Unit& u : kUnits)
    if (d.micros % u.micros == 0) return fmt::format("{}{}", d.micros / u.micros, u.name);
  return fmt::format("{}us", d.micros);
}

std::string rough_duration(Duration d) {
  const std::int64_t seconds = d.micros / 1'000'000;
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 120 * 60) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} days", seconds / 86400);
}

namespace {

class SystemClock final : public Clock {
  Timestamp now() const override {
    using namespace std::chrono;
    return {duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count()};
  }
  Duration steady() const override {
    using namespace std::chrono;
    return {duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count()};
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace weir
