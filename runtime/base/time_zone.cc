#include "runtime/base/time_zone.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace weir {
namespace {

constexpr std::int64_t kSecond = 1'000'000, kDay = 86'400;
constexpr std::int64_t kBeginning = std::numeric_limits<std::int64_t>::min();
constexpr int kLastYear = 2500;  // rules for later years are not unrolled: clocks then stay as they are

/// Takes big-endian numbers and pieces from the front of a file.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  bool good() const { return good_; }
  std::string_view left() const { return left_; }

  std::string_view take(std::size_t size) {
    if (size > left_.size()) return good_ = false, std::string_view();
    const std::string_view piece = left_.substr(0, size);
    left_.remove_prefix(size);
    return piece;
  }
  std::int64_t number(std::size_t size) {
    std::uint64_t v = 0;
    for (const char c : take(size)) v = v << 8 | static_cast<std::uint8_t>(c);
    return size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(v)) : static_cast<std::int64_t>(v);
  }

 private:
  std::string_view left_;
  bool good_ = true;
};

/// The counts of a header of RFC 8536, 3.1.
struct Header {
  std::int64_t utc, standard, leaps, times, types, letters;
};

std::optional<Header> read_header(Bytes& in) {
  if (in.take(4) != "TZif") return std::nullopt;
  in.take(16);
  Header h{};
  for (std::int64_t* count : {&h.utc, &h.standard, &h.leaps, &h.times, &h.types, &h.letters}) {
    *count = in.number(4);
    if (*count < 0 || *count > 100'000) return std::nullopt;
  }
  return in.good() && h.types > 0 ? std::optional(h) : std::nullopt;
}

/// A day of a year on which clocks change, in the form of POSIX.
struct Change {
  char form = 'M';  ///< M: month, week, day of the week; J: day from 1, without 29 February; D: day from 0
  int month = 0, week = 0, day = 0;
  std::int64_t time = 7200;  ///< seconds after the day's midnight
};

/// The footer: how clocks go on after the last transition, `CET-1CEST,M3.5.0,M10.5.0/3`.
struct Rule {
  std::int64_t standard = 0, summer = 0;  ///< seconds ahead of UTC
  std::optional<Change> begin{}, end{};   ///< of summer time; none: there is none
};

class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  std::optional<Rule> read() {
    Rule rule;
    if (!name()) return std::nullopt;
    rule.standard = -offset();
    if (text_.empty()) return done(rule);
    if (!name()) return std::nullopt;
    rule.summer = !text_.empty() && text_.front() != ',' ? -offset() : rule.standard + 3600;
    rule.begin = change();
    rule.end = change();
    return done(rule);
  }

 private:
  std::optional<Rule> done(const Rule& rule) const { return good_ && text_.empty() ? std::optional(rule) : std::nullopt; }

  bool skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool name() {
    const bool quoted = skip('<');
    std::size_t size = 0;
    while (size < text_.size() && (quoted ? text_[size] != '>' : std::isalpha(static_cast<unsigned char>(text_[size]))))
      ++size;
    text_.remove_prefix(size);
    return size > 0 && (!quoted || skip('>'));
  }
  int number() {
    std::size_t size = 0;
    int v = 0;
    for (; size < text_.size() && size < 4 && text_[size] >= '0' && text_[size] <= '9'; ++size)
      v = v * 10 + (text_[size] - '0');
    good_ &= size > 0;
    text_.remove_prefix(size);
    return v;
  }
  std::int64_t offset() {
    const bool negative = skip('-');
    if (!negative) skip('+');
    std::int64_t seconds = number() * std::int64_t{3600};
    if (skip(':')) seconds += number() * 60;
    if (skip(':')) seconds += number();
    return negative ? -seconds : seconds;
  }
  Change change() {
    Change c;
    good_ &= skip(',');
    if (skip('M')) {
      c.month = number(), good_ &= skip('.');
      c.week = number(), good_ &= skip('.');
      c.day = number();
      good_ &= c.month >= 1 && c.month <= 12 && c.week >= 1 && c.week <= 5 && c.day <= 6;
    } else {
      c.form = skip('J') ? 'J' : 'D';
      c.day = number();
    }
    if (skip('/')) c.time = offset();
    return c;
  }
  std::string_view text_;
  bool good_ = true;
};

/// Local seconds since the epoch at which a change happens.
std::int64_t time_of(const Change& change, int year) {
  using namespace std::chrono;
  const auto at = [&](sys_days day) { return day.time_since_epoch().count() * kDay + change.time; };
  const std::chrono::year y(year);
  if (change.form == 'M') {
    const auto m = y / month(static_cast<unsigned>(change.month));
    const weekday day(static_cast<unsigned>(change.day));
    return at(change.week == 5 ? sys_days(m / day[last]) : sys_days(m / day[static_cast<unsigned>(change.week)]));
  }
  const bool after_leap_day = change.form == 'J' && y.is_leap() && change.day > 59;
  return at(sys_days(y / January / 1) + days(change.day - (change.form == 'J' ? 1 : 0) + (after_leap_day ? 1 : 0)));
}

}  // namespace

const TimeZone::Span& TimeZone::span_at(std::int64_t instant) const {
  const auto next =
      std::upper_bound(spans_.begin() + 1, spans_.end(), instant, [](std::int64_t t, const Span& s) { return t < s.from; });
  return *(next - 1);
}

std::int64_t TimeZone::instant_of(std::int64_t local) const {
  // No clock is more than 26 hours from UTC, so that what shows `local` lies behind this one.
  const Span* span = &span_at(local - 26 * 3600 * kSecond);
  for (;; ++span) {
    const std::int64_t instant = std::max(span->from, local - span->offset);
    if (span == &spans_.back() || instant < span[1].from) return instant;
  }
}

std::shared_ptr<const TimeZone> TimeZone::parse(std::string_view bytes) {
  Bytes in(bytes);
  const auto old = read_header(in);
  if (!old || bytes[4] < '2') return nullptr;  // the first version has times of 32 bits only
  in.take(
      static_cast<std::size_t>(old->times * 5 + old->types * 6 + old->letters + old->leaps * 8 + old->standard + old->utc));
  const auto header = read_header(in);
  if (!header || header->leaps != 0) return nullptr;
  std::vector<std::int64_t> times, offsets;
  for (std::int64_t i = 0; i < header->times; ++i) times.push_back(in.number(8));
  const std::string_view types = in.take(static_cast<std::size_t>(header->times));
  for (std::int64_t i = 0; i < header->types; ++i, in.take(2)) offsets.push_back(in.number(4));
  in.take(static_cast<std::size_t>(header->letters + header->standard + header->utc));
  if (!in.good()) return nullptr;

  auto zone = std::make_shared<TimeZone>();
  const auto add = [&](std::int64_t second, std::int64_t offset) {
    if (zone->spans_.empty() || second > zone->spans_.back().from / kSecond)
      zone->spans_.push_back({second * kSecond, offset * kSecond});
  };
  zone->spans_.push_back({kBeginning, offsets[0] * kSecond});
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto type = static_cast<std::uint8_t>(types[i]);
    if (type >= offsets.size() || std::abs(offsets[type]) > 26 * 3600 || (i > 0 && times[i] <= times[i - 1])) return nullptr;
    if (times[i] > kBeginning / kSecond) add(times[i], offsets[type]);
    else zone->spans_.back().offset = offsets[type] * kSecond;
  }

  std::string_view footer = in.left();
  if (footer.size() < 2 || footer.front() != '\n' || footer.back() != '\n') return nullptr;
  footer = footer.substr(1, footer.size() - 2);
  if (footer.empty()) return zone;
  const auto rule = RuleReader(footer).read();
  if (!rule) return nullptr;
  if (!rule->begin) {
    if (times.empty()) zone->spans_.back().offset = rule->standard * kSecond;
    return zone;
  }
  const std::int64_t last = times.empty() ? 0 : times.back();
  for (int year = static_cast<int>(1970 + last / (366 * kDay)); year <= kLastYear; ++year) {
    std::pair<std::int64_t, std::int64_t> changes[] = {{time_of(*rule->begin, year) - rule->standard, rule->summer},
                                                       {time_of(*rule->end, year) - rule->summer, rule->standard}};
    std::sort(std::begin(changes), std::end(changes));
    for (const auto& [second, offset] : changes)
      if (second > last) add(second, offset);
  }
  return zone;
}

std::shared_ptr<const TimeZone> TimeZone::load(const std::string& name, std::string& problem) {
  const bool plain = !name.empty() && name.front() != '/' && name.find("..") == std::string::npos &&
                     std::all_of(name.begin(), name.end(), [](char c) {
                       return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '+' || c == '/';
                     });
  const char* folder = std::getenv("TZDIR");
  const std::string path = fmt::format("{}/{}", folder ? folder : "/usr/share/zoneinfo", name);
  std::string bytes;
  std::error_code ignored;
  if (plain && std::filesystem::is_regular_file(path, ignored)) {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  if (bytes.empty()) {
    problem = fmt::format("there is no time zone '{}' on this machine", name);
    return nullptr;
  }
  auto zone = parse(bytes);
  if (!zone) problem = fmt::format("the file of time zone '{}' cannot be read: {}", name, path);
  return zone;
}

}  // namespace weir
