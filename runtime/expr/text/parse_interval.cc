#include <cmath>
#include <limits>

#include "runtime/expr/text/calendar.h"
#include "runtime/expr/text/parse_text.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

using namespace expr;

namespace {

constexpr std::int64_t kSecond = 1'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr double kDaysOfMonth = 30;

enum class Part { kMonths, kDays, kMicros };

struct Unit {
  Part part;
  std::int64_t size;  ///< months, days or microseconds
};

std::optional<Unit> unit_of(std::optional<TimeField> field) {
  if (!field) return std::nullopt;
  switch (*field) {
    case TimeField::kMicroseconds: return Unit{Part::kMicros, 1};
    case TimeField::kMilliseconds: return Unit{Part::kMicros, 1000};
    case TimeField::kSecond: return Unit{Part::kMicros, kSecond};
    case TimeField::kMinute: return Unit{Part::kMicros, kMinute};
    case TimeField::kHour: return Unit{Part::kMicros, kHour};
    case TimeField::kDay: return Unit{Part::kDays, 1};
    case TimeField::kWeek: return Unit{Part::kDays, 7};
    case TimeField::kMonth: return Unit{Part::kMonths, 1};
    case TimeField::kYear: return Unit{Part::kMonths, 12};
    case TimeField::kDecade: return Unit{Part::kMonths, 120};
    case TimeField::kCentury: return Unit{Part::kMonths, 1200};
    case TimeField::kMillennium: return Unit{Part::kMonths, 12000};
    default: return std::nullopt;
  }
}

/// A number as written: `-1.5` is a sign, 1 and 0.5.
struct Amount {
  bool negative = false;
  std::int64_t whole = 0;
  double fraction = 0;
};

class IntervalParser {
 public:
  IntervalParser(std::string_view text, const IntervalFields& fields) : text_(text), fields_(fields) {}

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

  /// Adds amount × unit. As in PostgreSQL the fraction of a year goes down to whole months, that of a month to days (of 30)
  /// and less, that of a day to the time of day.
  bool add(const Amount& a, const Unit& u) {
    const std::int64_t sign = a.negative ? -1 : 1;
    std::int64_t& to = u.part == Part::kMonths ? months_ : u.part == Part::kDays ? days_ : micros_;
    if (!add(to, sign * a.whole, u.size)) return false;
    if (a.fraction == 0) return true;
    double rest = a.fraction;
    if (u.part == Part::kMonths && u.size > 1)
      return add(months_, sign * static_cast<std::int64_t>(std::nearbyint(rest * static_cast<double>(u.size))), 1);
    if (u.part != Part::kMicros) {
      rest *= u.part == Part::kMonths ? kDaysOfMonth : static_cast<double>(u.size);
      const auto days = static_cast<std::int64_t>(rest);
      if (!add(days_, sign * days, 1)) return false;
      rest -= static_cast<double>(days);
    }
    rest *= static_cast<double>(u.part == Part::kMicros ? u.size : kDay);
    auto micros = static_cast<std::int64_t>(rest);
    micros += rest - static_cast<double>(micros) > 0.5;
    return add(micros_, sign * micros, 1);
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
    if (take(text_, '-')) a.negative = true;
    else take(text_, '+');
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

  /// `.` and digits, if they are there, rounded to microseconds.
  bool take_micros(std::int64_t& micros) {
    std::int64_t digits = 0;
    if (take(text_, '.') && !take_fraction(text_, 15, digits)) return false;
    micros = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(digits) / 1e9));
    return true;
  }

  /// Behind `hours:`: minutes and perhaps seconds; of `minute to second`, behind `minutes:` seconds.
  bool clock(const Amount& first) {
    std::int64_t minute = 0, second = 0, micros = 0;
    if (!take_two(minute, 59)) return false;
    const bool seconds_follow = take(text_, ':');
    if (seconds_follow && !take_two(second, 59)) return false;
    const bool from_minutes = fields_.first == TimeField::kMinute && fields_.last == TimeField::kSecond && !seconds_follow;
    if ((seconds_follow || from_minutes) && !take_micros(micros)) return false;
    const std::int64_t rest = from_minutes ? minute * kSecond + micros : minute * kMinute + second * kSecond + micros;
    const std::int64_t sign = first.negative ? -1 : 1;
    return add(micros_, sign * first.whole, from_minutes ? kMinute : kHour) && add(micros_, sign * rest, 1);
  }

  /// True if the rest begins with `[sign]digits:`.
  bool clock_follows() const {
    std::size_t i = !text_.empty() && (text_[0] == '-' || text_[0] == '+') ? 1 : 0;
    const std::size_t digits = i;
    while (i < text_.size() && is_digit(text_[i])) ++i;
    return i > digits && i < text_.size() && text_[i] == ':';
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
        if (!first_of({TimeField::kHour, TimeField::kMinute, TimeField::kSecond, TimeField::kMilliseconds,
                       TimeField::kMicroseconds}) ||
            !clock(a))
          return false;
        continue;
      }
      if (a.fraction == 0 && !text_.empty() && text_[0] == '-' && text_.size() > 1 && is_digit(text_[1])) {
        std::int64_t months = 0;
        text_.remove_prefix(1);
        if (!first_of({TimeField::kYear, TimeField::kMonth}) || !take_two(months, 11)) return false;
        const std::int64_t sign = a.negative ? -1 : 1;
        if (!add(months_, sign * a.whole, 12) || !add(months_, sign * months, 1)) return false;
        continue;
      }
      skip_blanks();
      const std::string_view word = take_word();
      const std::optional<TimeField> field = !word.empty()     ? time_field_named(word)
                                             : text_.empty()   ? fields_.last
                                             : clock_follows() ? std::optional(TimeField::kDay)
                                                               : std::nullopt;
      const std::optional<Unit> unit = unit_of(field);
      if (!unit || !first_of({*field}) || !add(a, *unit)) return false;
    }
    return any;
  }

  /// False if one of them was given before: `1 hour 1 hour`.
  bool first_of(std::initializer_list<TimeField> fields) {
    const std::uint64_t before = given_;
    std::uint64_t now = 0;
    for (const TimeField field : fields) now |= std::uint64_t{1} << static_cast<int>(field);
    given_ |= now;
    return (before & now) == 0;
  }

  bool ago() {
    out_of_range_ |= __builtin_sub_overflow(std::int64_t{0}, micros_, &micros_);
    months_ = -months_;
    days_ = -days_;
    return !out_of_range_;
  }

  static std::optional<TimeField> iso_field(char letter, bool time) {
    switch (letter) {
      case 'Y': return time ? std::nullopt : std::optional(TimeField::kYear);
      case 'M': return time ? TimeField::kMinute : TimeField::kMonth;
      case 'W': return time ? std::nullopt : std::optional(TimeField::kWeek);
      case 'D': return time ? std::nullopt : std::optional(TimeField::kDay);
      case 'H': return time ? std::optional(TimeField::kHour) : std::nullopt;
      case 'S': return time ? std::optional(TimeField::kSecond) : std::nullopt;
      default: return std::nullopt;
    }
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
      const std::optional<Unit> unit = unit_of(iso_field(c, time));
      if (!unit || !add(a, *unit)) return false;
      any = true;
    }
    return any;
  }

  std::string_view text_;
  IntervalFields fields_;
  std::int64_t months_ = 0, days_ = 0, micros_ = 0;
  std::uint64_t given_ = 0;  ///< a bit for each field
  bool out_of_range_ = false;
};

}  // namespace

ParseStatus parse_interval(std::string_view text, Interval& out) { return parse_interval(text, IntervalFields{}, out); }

namespace expr {

ParseStatus parse_interval(std::string_view text, const IntervalFields& fields, Interval& out) {
  const ParseStatus status = IntervalParser(trim_blanks(text), fields).parse(out);
  if (status == ParseStatus::kOk) out = with_fields(out, fields);
  return status;
}

}  // namespace expr

}  // namespace weir
