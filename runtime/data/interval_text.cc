#include <limits>

#include "runtime/data/timestamp_text.h"

namespace weir {

namespace {

constexpr std::int64_t kSecond = 1'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kMicrosOfMicroDay = 86'400;
constexpr std::int64_t kFraction = 1'000'000;  // a number's fraction is kept in millionths

struct IntervalUnit {
  std::string_view name;  ///< singular
  std::int64_t months, days, micros;
};
constexpr IntervalUnit kUnits[] = {
    {"microsecond", 0, 0, 1}, {"us", 0, 0, 1},        {"millisecond", 0, 0, 1000}, {"ms", 0, 0, 1000},    {"second", 0, 0, kSecond},
    {"sec", 0, 0, kSecond},   {"s", 0, 0, kSecond},   {"minute", 0, 0, kMinute},   {"min", 0, 0, kMinute}, {"m", 0, 0, kMinute},
    {"hour", 0, 0, kHour},    {"hr", 0, 0, kHour},    {"h", 0, 0, kHour},          {"day", 0, 1, 0},      {"d", 0, 1, 0},
    {"week", 0, 7, 0},        {"w", 0, 7, 0},         {"month", 1, 0, 0},          {"mon", 1, 0, 0},      {"year", 12, 0, 0},
    {"yr", 12, 0, 0},         {"y", 12, 0, 0},        {"decade", 120, 0, 0},       {"century", 1200, 0, 0}};

const IntervalUnit* find_unit(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  if (name == "centuries") name = "century";
  for (const IntervalUnit& u : kUnits)
    if (u.name == name) return &u;
  if (name.size() < 3 || name.back() != 's') return nullptr;
  name.pop_back();
  for (const IntervalUnit& u : kUnits)
    if (u.name == name) return &u;
  return nullptr;
}

/// Sums up an interval's parts; wide, so that only the end needs a check.
class IntervalScanner {
 public:
  explicit IntervalScanner(std::string_view text) : text_(text) {}

  bool read(Interval& value) {
    bool any = false;
    for (blanks(); at_ < text_.size(); blanks()) {
      if (any && rest() == "ago") {
        months_ = -months_, days_ = -days_, micros_ = -micros_;
        at_ = text_.size();
      } else if (!part()) {
        return false;
      }
      any = true;
    }
    value = {static_cast<std::int32_t>(months_), static_cast<std::int32_t>(days_), static_cast<std::int64_t>(micros_)};
    return any && value.months == months_ && value.days == days_ && value.micros == micros_;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_digit() const { return now() >= '0' && now() <= '9'; }
  void blanks() {
    while (now() == ' ') ++at_;
  }
  /// Up to 15 digits, so that no product below leaves 128 bits.
  bool whole(std::int64_t& n) {
    const std::size_t start = at_;
    for (n = 0; is_digit(); ++at_) {
      if (at_ - start == 15) return false;
      n = n * 10 + (now() - '0');
    }
    return at_ > start;
  }
  bool fraction(std::int64_t& millionths) {
    millionths = 0;
    if (now() != '.') return true;
    const std::size_t start = ++at_;
    for (std::int64_t unit = kFraction; is_digit(); ++at_) millionths += (now() - '0') * (unit /= 10);
    return at_ > start;
  }

  bool part() {
    const bool negative = now() == '-';
    if (negative || now() == '+') ++at_;
    const int sign = negative ? -1 : 1;
    std::int64_t n, f;
    if (!whole(n)) return false;
    if (now() == ':') return clock(n, sign);
    if (!fraction(f)) return false;
    blanks();
    const std::size_t start = at_;
    while ((now() | 0x20) >= 'a' && (now() | 0x20) <= 'z') ++at_;
    const std::string name(text_.substr(start, at_ - start));
    const IntervalUnit* unit = name.empty() && at_ == text_.size() ? find_unit("second") : find_unit(name);
    return unit && add(*unit, n, f, sign);
  }
  bool clock(std::int64_t hours, int sign) {
    std::int64_t minutes, seconds = 0, f = 0;
    ++at_;
    if (!whole(minutes) || minutes > 59) return false;
    if (now() == ':' && (++at_, !whole(seconds) || seconds > 59 || !fraction(f))) return false;
    micros_ += sign * (static_cast<Int128>(hours) * kHour + minutes * kMinute + seconds * kSecond + f);
    return true;
  }
  bool add(const IntervalUnit& u, std::int64_t n, std::int64_t f, int sign) {
    if (f && u.months) return false;
    months_ += sign * static_cast<Int128>(n) * u.months;
    const std::int64_t micro_days = f * u.days;
    days_ += sign * (static_cast<Int128>(n) * u.days + micro_days / kFraction);
    micros_ += sign * (static_cast<Int128>(n) * u.micros + f * u.micros / kFraction + micro_days % kFraction * kMicrosOfMicroDay);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Int128 months_ = 0, days_ = 0, micros_ = 0;
};

}  // namespace

bool parse_interval(std::string_view text, Interval& value) { return IntervalScanner(text).read(value); }

}  // namespace weir
