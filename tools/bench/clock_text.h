#pragma once
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>

/// Times as `YYYY-MM-DD HH:MM:SS.mmm`, UTC. The calendar is asked once a day of event time (per thread).
namespace weir::bench {

constexpr std::size_t kClockTextSize = 23;
constexpr std::int64_t kDayMs = 86'400'000;

inline char* write_digits(char* to, std::int64_t value, int width) {
  for (int i = width; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + width;
}

/// Writes kClockTextSize bytes and returns their end. Not before 1970, not after 9999.
inline char* write_clock(char* to, std::int64_t ms) {
  thread_local std::int64_t day = -1;
  thread_local char date[10];
  if (ms / kDayMs != day) {
    day = ms / kDayMs;
    const std::chrono::year_month_day d{std::chrono::sys_days{std::chrono::days{day}}};
    write_digits(date, static_cast<int>(d.year()), 4)[0] = '-';
    write_digits(date + 5, static_cast<unsigned>(d.month()), 2)[0] = '-';
    write_digits(date + 8, static_cast<unsigned>(d.day()), 2);
  }
  std::memcpy(to, date, 10);
  const std::int64_t t = ms % kDayMs;
  *(to += 10) = ' ';
  to = write_digits(to + 1, t / 3'600'000, 2), *to++ = ':';
  to = write_digits(to, t / 60'000 % 60, 2), *to++ = ':';
  to = write_digits(to, t / 1000 % 60, 2), *to++ = '.';
  return write_digits(to, t % 1000, 3);
}

/// Milliseconds since the epoch of such a text; the fraction may be left out. The digits are not checked.
inline std::int64_t read_clock(std::string_view text) {
  const auto number = [&](std::size_t from, std::size_t to) {
    std::int64_t value = 0;
    for (std::size_t i = from; i < to; ++i) value = value * 10 + (text[i] - '0');
    return value;
  };
  thread_local char date[10];
  thread_local std::int64_t day = -1;
  if (day < 0 || std::memcmp(date, text.data(), sizeof date) != 0) {
    std::memcpy(date, text.data(), sizeof date);
    const std::chrono::year y{static_cast<int>(number(0, 4))};
    day = std::chrono::sys_days{y / static_cast<int>(number(5, 7)) / static_cast<int>(number(8, 10))}
              .time_since_epoch()
              .count();
  }
  const std::int64_t ms = text.size() >= kClockTextSize ? number(20, 23) : 0;
  return day * kDayMs + ((number(11, 13) * 60 + number(14, 16)) * 60 + number(17, 19)) * 1000 + ms;
}

}  // namespace weir::bench
