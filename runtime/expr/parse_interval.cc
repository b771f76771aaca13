#include <cmath>
#include <limits>

#include "runtime/expr/parse_text.h"
#include "runtime/expr/parse_value.h"

namespace weir {

using namespace expr;

namespace {

constexpr std::int64_t kSecond = 1'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

enum class Part { kMonths, kDays, kMicros };

struct Unit {
  std::string_view name;
  Part part;
  std::int64_t size;  ///< months, days or microseconds
};

const Unit* find_unit(std::string_view word) {
  static constexpr Unit kUnits[] = {{"microsecond", Part::kMicros, 1},
                                    {"microseconds", Part::kMicros, 1},
                                    {"us", Part::kMicros, 1},
                                    {"usec", Part::kMicros, 1},
                                    {"usecs", Part::kMicros, 1},
                                    {"millisecond", Part::kMicros, 1000},
                                    {"milliseconds", Part::kMicros, 1000},
                                    {"ms", Part::kMicros, 1000},
                                    {"msec", Part::kMicros, 1000},
                                    {"msecs", Part::kMicros, 1000},
                                    {"second", Part::kMicros, kSecond},
                                    {"seconds", Part::kMicros, kSecond},
                                    {"sec", Part::kMicros, kSecond},
                                    {"secs", Part::kMicros, kSecond},
                                    {"s", Part::kMicros, kSecond},
                                    {"minute", Part::kMicros, kMinute},
                                    {"minutes", Part::kMicros, kMinute},
                                    {"min", Part::kMicros, kMinute},
                                    {"mins", Part::kMicros, kMinute},
                                    {"m", Part::kMicros, kMinute},
                                    {"hour", Part::kMicros, kHour},
                                    {"hours", Part::kMicros, kHour},
                                    {"hr", Part::kMicros, kHour},
                                    {"hrs", Part::kMicros, kHour},
                                    {"h", Part::kMicros, kHour},
                                    {"day", Part::kDays, 1},
                                    {"days", Part::kDays, 1},
                                    {"d", Part::kDays, 1},
                                    {"week", Part::kDays, 7},
                                    {"weeks", Part::kDays, 7},
                                    {"w", Part::kDays, 7},
                                    {"month", Part::kMonths, 1},
                                    {"months", Part::kMonths, 1},
                                    {"mon", Part::kMonths, 1},
                                    {"mons", Part::kMonths, 1},
                                    {"year", Part::kMonths, 12},
                                    {"years", Part::kMonths, 12},
                                    {"yr", Part::kMonths, 12},
                                    {"yrs", Part::kMonths, 12},
                                    {"y", Part::kMonths, 12},
                                    {"decade", Part::kMonths, 120},
                                    {"decades", Part::kMonths, 120},
                                    {"century", Part::kMonths, 1200},
                                    {"centuries", Part::kMonths, 1200}};
  for (const Unit& u : kUnits)
    if (equal_ignoring_case(word, u.name)) return &u;
  return nullptr;
}

/// A number as written: `-1.5` is a sign, 1 and 0.5.
struct Amount {
  bool negative = false;
  std::int64_t whole = 0;
  double fraction = 0;
};

class IntervalParser {
 public:
  explicit IntervalParser(std::string_view text) : text_(text) {}

  ParseStatus parse(Interval& out) {
    if (text_.empty()) return ParseStatus::kSyntax;
    if (text_[0] == 'P' || text_[0] == 'p') {
      if (!iso()) return status();
    } else if (!words()) {
      return status();
    }
    const auto fits = [](std::int64_t v) {
      return v >= std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max();
    };
    if (!fits(months_) || !fits(days_)) return ParseStatus::kRange;
    out = {static_cast<std::int32_t>(months_), static_cast<std::int32_t>(days_), micros_};
    return ParseStatus::kOk;
  }

 private:
  ParseStatus status() const { return out_of_range_ ? ParseStatus::kRange : ParseStatus::kSyntax; }

  bool add(std::int64_t& to, std::int64_t amount, std::int64_t unit) {
    std::int64_t product;
    out_of_range_ |= __builtin_mul_overflow(amount, unit, &product) || __builtin_add_overflow(to, product, &to);
    return !out_of_range_;
  }

  /// Adds amount × unit; a fraction goes down to the smaller parts, a month being 30 days, a day 24 hours.
  bool add(const Amount& a, const Unit& u) {
    const std::int64_t sign = a.negative ? -1 : 1;
    std::int64_t& to = u.part == Part::kMonths ? months_ : u.part == Part::kDays ? days_ : micros_;
    if (!add(to, sign * a.whole, u.size)) return false;
    if (a.fraction == 0) return true;
    double rest = a.fraction * static_cast<double>(u.size);
    if (u.part == Part::kMonths) {
      const double months = std::floor(rest + 1e-9);
      if (!add(months_, sign * static_cast<std::int64_t>(months), 1)) return false;
      rest = std::max(0.0, rest - months) * 30;
    }
    if (u.part != Part::kMicros) {
      const double days = std::floor(rest + 1e-9);
      if (!add(days_, sign * static_cast<std::int64_t>(days), 1)) return false;
      rest = std::max(0.0, rest - days) * static_cast<double>(kDay);
    }
    return add(micros_, sign * static_cast<std::int64_t>(std::llround(rest)), 1);
  }

  bool take_whole(std::int64_t& out) {
    if (text_.empty() || !is_digit(text_[0])) return false;
    out = 0;
    while (!text_.empty() && is_digit(text_[0])) {
      if (__builtin_mul_overflow(out, 10, &out) || __builtin_add_overflow(out, text_[0] - '0', &out))
        return out_of_range_ = true, false;
      text_.remove_prefix(1);
    }
    return true;
  }

  bool take_amount(Amount& a) {
    a = {};
    if (take(text_, '-'))
      a.negative = true;
    else
      take(text_, '+');
    const bool whole = take_whole(a.whole);
    if (out_of_range_) return false;
    if (!take(text_, '.')) return whole;
    std::int64_t digits = 0;
    const std::size_t before = text_.size();
    if (!take_fraction(text_, 15, digits)) return whole && before == text_.size();
    a.fraction = static_cast<double>(digits) / 1e15;
    return true;
  }

  bool take_two(std::int64_t& out, std::int64_t largest) {
    return take_whole(out) && (out <= largest || (out_of_range_ = true, false));
  }

  /// Behind `hours:`: minutes and perhaps seconds.
  bool clock(const Amount& hours) {
    std::int64_t minute = 0, second = 0, fraction = 0;
    if (!take_two(minute, 59)) return false;
    if (take(text_, ':')) {
      if (!take_two(second, 59)) return false;
      if (take(text_, '.') && !take_fraction(text_, 6, fraction)) return false;
    }
    const std::int64_t sign = hours.negative ? -1 : 1;
    return add(micros_, sign * hours.whole, kHour) &&
           add(micros_, sign * (minute * kMinute + second * kSecond + fraction), 1);
  }

  void skip_blanks() {
    while (!text_.empty() && is_blank(text_[0])) text_.remove_prefix(1);
  }

  std::string_view take_word() {
    std::size_t n = 0;
    while (n < text_.size() && std::isalpha(static_cast<unsigned char>(text_[n]))) ++n;
    const std::string_view word = text_.substr(0, n);
    text_.remove_prefix(n);
    return word;
  }

  bool words() {
    bool any = false;
    take(text_, '@');
    for (skip_blanks(); !text_.empty(); skip_blanks()) {
      if (any && equal_ignoring_case(text_, "ago")) return ago();
      Amount a;
      if (!take_amount(a)) return false;
      any = true;
      if (a.fraction == 0 && take(text_, ':')) {
        if (!clock(a)) return false;
        continue;
      }
      if (a.fraction == 0 && !text_.empty() && text_[0] == '-' && text_.size() > 1 && is_digit(text_[1])) {
        std::int64_t months = 0;
        text_.remove_prefix(1);
        if (!take_two(months, 11)) return false;
        const std::int64_t sign = a.negative ? -1 : 1;
        if (!add(months_, sign * a.whole, 12) || !add(months_, sign * months, 1)) return false;
        continue;
      }
      skip_blanks();
      const std::string_view word = take_word();
      const Unit* unit = word.empty() && text_.empty() ? find_unit("second") : find_unit(word);
      if (!unit || !add(a, *unit)) return false;
    }
    return any;
  }

  bool ago() {
    out_of_range_ |= __builtin_sub_overflow(std::int64_t{0}, micros_, &micros_);
    months_ = -months_;
    days_ = -days_;
    return !out_of_range_;
  }

  bool iso() {
    text_.remove_prefix(1);
    bool time = false, any = false;
    while (!text_.empty()) {
      if (!time && (take(text_, 'T') || take(text_, 't'))) {
        time = true;
        continue;
      }
      Amount a;
      if (!take_amount(a) || text_.empty()) return false;
      const char c = static_cast<char>(std::toupper(static_cast<unsigned char>(text_[0])));
      text_.remove_prefix(1);
      const std::string_view name = time ? (c == 'H'   ? "hour"
                                            : c == 'M' ? "minute"
                                            : c == 'S' ? "second"
                                                       : "")
                                         : (c == 'Y'   ? "year"
                                            : c == 'M' ? "month"
                                            : c == 'W' ? "week"
                                            : c == 'D' ? "day"
                                                       : "");
      const Unit* unit = find_unit(name);
      if (!unit || !add(a, *unit)) return false;
      any = true;
    }
    return any;
  }

  std::string_view text_;
  std::int64_t months_ = 0, days_ = 0, micros_ = 0;
  bool out_of_range_ = false;
};

}  // namespace

ParseStatus parse_interval(std::string_view text, Interval& out) { return IntervalParser(trim_blanks(text)).parse(out); }

}  // namespace weir
