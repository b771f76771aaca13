#include <cmath>

#include "runtime/data/value_text.h"
#include "runtime/expr/bind/registry.h"
#include "runtime/expr/text/calendar.h"

namespace weir::expr {

namespace {

constexpr TypeKind kTs = TypeKind::kTimestamp;
constexpr TypeKind kIv = TypeKind::kInterval;
constexpr TypeKind kDt = TypeKind::kDate;

std::string shown(const Interval& v) {
  std::string s;
  append_interval(s, v);
  return s;
}
std::string shown_timestamp(std::int64_t v) {
  std::string s;
  append_timestamp(s, v);
  return s;
}
std::string shown_date(std::int32_t v) {
  std::string s;
  append_date(s, v);
  return s;
}

/// An operation that gives nothing when it goes out of range; then the reason is `what` and the operands.
template <typename Out, typename A, typename B, typename Op, typename Show>
void checked(const KernelCall& c, Op op, Show show) {
  map_binary_checked<Out, A, B>(
      c,
      [&](const A& a, const B& b, Out& out) {
        const std::optional<Out> v = op(a, b);
        out = v.value_or(Out{});
        return !v;
      },
      show);
}

void timestamp_plus(const KernelCall& c) {
  checked<std::int64_t, std::int64_t, Interval>(
      c, [](std::int64_t t, const Interval& v) { return add_interval(t, v); },
      [](std::int64_t t, const Interval& v) {
        return fmt::format("timestamp out of range: {} + {}", shown_timestamp(t), shown(v));
      });
}
void plus_timestamp(const KernelCall& c) {
  checked<std::int64_t, Interval, std::int64_t>(
      c, [](const Interval& v, std::int64_t t) { return add_interval(t, v); },
      [](const Interval& v, std::int64_t t) {
        return fmt::format("timestamp out of range: {} + {}", shown(v), shown_timestamp(t));
      });
}
void timestamp_minus(const KernelCall& c) {
  checked<std::int64_t, std::int64_t, Interval>(
      c,
      [](std::int64_t t, const Interval& v) {
        const std::optional<Interval> n = negate_interval(v);
        return n ? add_interval(t, *n) : std::nullopt;
      },
      [](std::int64_t t, const Interval& v) {
        return fmt::format("timestamp out of range: {} - {}", shown_timestamp(t), shown(v));
      });
}
void timestamps_apart(const KernelCall& c) {
  checked<Interval, std::int64_t, std::int64_t>(c, timestamp_difference, [](std::int64_t a, std::int64_t b) {
    return fmt::format("interval out of range: {} - {}", shown_timestamp(a), shown_timestamp(b));
  });
}

template <typename Op>
void day_arithmetic(const KernelCall& c, const char* symbol, Op op) {
  map_binary_checked<std::int32_t, std::int32_t, std::int32_t>(c, op, [symbol](std::int32_t d, std::int32_t n) {
    return fmt::format("date out of range: {} {} {}", shown_date(d), symbol, n);
  });
}
void date_plus(const KernelCall& c) {
  day_arithmetic(c, "+",
                 [](std::int32_t d, std::int32_t n, std::int32_t& out) { return __builtin_add_overflow(d, n, &out); });
}
void date_minus(const KernelCall& c) {
  day_arithmetic(c, "-",
                 [](std::int32_t d, std::int32_t n, std::int32_t& out) { return __builtin_sub_overflow(d, n, &out); });
}
void plus_date(const KernelCall& c) {
  map_binary_checked<std::int32_t, std::int32_t, std::int32_t>(
      c, [](std::int32_t n, std::int32_t d, std::int32_t& out) { return __builtin_add_overflow(d, n, &out); },
      [](std::int32_t n, std::int32_t d) { return fmt::format("date out of range: {} + {}", n, shown_date(d)); });
}

std::string out_of_range(const Interval& a, const char* symbol, const std::string& b) {
  return fmt::format("interval out of range: {} {} {}", shown(a), symbol, b);
}

void intervals_plus(const KernelCall& c) {
  checked<Interval, Interval, Interval>(c, add_intervals,
                                        [](const Interval& a, const Interval& b) { return out_of_range(a, "+", shown(b)); });
}
void intervals_minus(const KernelCall& c) {
  checked<Interval, Interval, Interval>(
      c,
      [](const Interval& a, const Interval& b) {
        const std::optional<Interval> n = negate_interval(b);
        return n ? add_intervals(a, *n) : std::nullopt;
      },
      [](const Interval& a, const Interval& b) { return out_of_range(a, "-", shown(b)); });
}

template <typename N>
std::string number(N n) {
  std::string s;
  if constexpr (std::is_same_v<N, double>) append_double(s, n);
  else append_integer(s, n);
  return s;
}
template <typename N>
std::optional<Interval> times(const Interval& v, N n) {
  if constexpr (std::is_same_v<N, double>) return multiply_interval(v, n);
  else return multiply_interval(v, std::int64_t{n});
}
template <typename N>
void interval_times(const KernelCall& c) {
  checked<Interval, Interval, N>(
      c, [](const Interval& v, N n) { return times(v, n); },
      [](const Interval& v, N n) { return out_of_range(v, "*", number(n)); });
}
template <typename N>
void times_interval(const KernelCall& c) {
  checked<Interval, N, Interval>(
      c, [](N n, const Interval& v) { return times(v, n); },
      [](N n, const Interval& v) { return out_of_range(v, "*", number(n)); });
}
void interval_divided(const KernelCall& c) {
  checked<Interval, Interval, double>(
      c, [](const Interval& v, double n) { return n == 0 ? std::nullopt : divide_interval(v, n); },
      [](const Interval& v, double n) {
        return n == 0 ? fmt::format("division by zero: {} / 0", shown(v)) : out_of_range(v, "/", number(n));
      });
}
void interval_negative(const KernelCall& c) {
  map_unary_checked<Interval, Interval>(
      c,
      [](const Interval& v, Interval& out) {
        const std::optional<Interval> n = negate_interval(v);
        out = n.value_or(Interval{});
        return !n;
      },
      [](const Interval& v) { return fmt::format("interval out of range: -({})", shown(v)); });
}

void from_epoch(const KernelCall& c) {
  map_unary_checked<std::int64_t, double>(
      c,
      [](double seconds, std::int64_t& out) {
        const double micros = std::nearbyint(seconds * 1e6);
        const bool fits = micros > -9223372036854775808.0 && micros < 9223372036854775808.0;
        out = fits ? static_cast<std::int64_t>(micros) : 0;
        return !fits;
      },
      [](double seconds) { return "timestamp out of range: to_timestamp(" + number(seconds) + ")"; });
}

/// Rounds half away from 2000-01-01, from which PostgreSQL counts, as its timestamp(n).
void round_timestamp(const KernelCall& c) {
  constexpr Int128 kOrigin = Int128{946'684'800} * 1'000'000;
  map_binary<std::int64_t, std::int64_t, std::int32_t>(c, [](std::int64_t t, std::int32_t places) {
    Int128 unit = 1;
    for (; places < 6; ++places) unit *= 10;
    const Int128 away = t - kOrigin, size = away < 0 ? -away : away;
    const Int128 rounded = (size + unit / 2) / unit * unit;
    return static_cast<std::int64_t>(kOrigin + (away < 0 ? -rounded : rounded));
  });
}

}  // namespace

void add_time_functions(Registry& r) {
  constexpr ResultType kTimestamp = always<Type::timestamp>, kInterval = always<Type::interval>, kDate = always<Type::date>;
  const char* months = "A time moved by an interval; months keep the day, cut to the month's length.";
  r.add({"+", {kTs, kIv}, kTimestamp, timestamp_plus, months, "timestamp '2024-01-31' + interval '1 month'"});
  r.add({"+", {kIv, kTs}, kTimestamp, plus_timestamp, months, "interval '1 day' + timestamp '2024-01-31'"});
  r.add({"-",
         {kTs, kIv},
         kTimestamp,
         timestamp_minus,
         "A time moved back by an interval.",
         "timestamp '2024-03-31' - interval '1 month'"});
  r.add({"-",
         {kTs, kTs},
         kInterval,
         timestamps_apart,
         "The time between two times, in days and less.",
         "timestamp '2024-01-02 12:00' - timestamp '2024-01-01'"});
  r.add({"+", {kDt, TypeKind::kInt}, kDate, date_plus, "A date so many days later.", "date '2024-02-28' + 2"});
  r.add({"+", {TypeKind::kInt, kDt}, kDate, plus_date, "A date so many days later.", "2 + date '2024-02-28'"});
  r.add({"-", {kDt, TypeKind::kInt}, kDate, date_minus, "A date so many days earlier.", "date '2024-03-01' - 1"});
  r.add({"-",
         {kDt, kDt},
         always<Type::integer>,
         date_minus,
         "The days between two dates.",
         "date '2024-03-01' - date '2024-02-01'"});
  r.add({"+",
         {kIv, kIv},
         kInterval,
         intervals_plus,
         "Both intervals together, part by part.",
         "interval '1 day' + interval '2 hours'"});
  r.add({"-",
         {kIv, kIv},
         kInterval,
         intervals_minus,
         "One interval less the other, part by part.",
         "interval '1 day' - interval '2 hours'"});
  r.add({"*",
         {kIv, TypeKind::kBigint},
         kInterval,
         interval_times<std::int64_t>,
         "The interval so many times.",
         "interval '1 second' * 90"});
  r.add({"*",
         {TypeKind::kBigint, kIv},
         kInterval,
         times_interval<std::int64_t>,
         "The interval so many times.",
         "90 * interval '1 second'"});
  r.add({"*",
         {kIv, TypeKind::kDouble},
         kInterval,
         interval_times<double>,
         "The interval multiplied, fractions going down to smaller parts.",
         "interval '1 day' * 1.5"});
  r.add({"*",
         {TypeKind::kDouble, kIv},
         kInterval,
         times_interval<double>,
         "The interval multiplied, fractions going down to smaller parts.",
         "1.5 * interval '1 day'"});
  r.add({"/",
         {kIv, TypeKind::kDouble},
         kInterval,
         interval_divided,
         "The interval divided, fractions going down to smaller parts.",
         "interval '1 hour' / 4"});
  r.add({"-", {kIv}, kInterval, interval_negative, "The interval backwards.", "-(interval '1 day')"});
  r.add({"to_timestamp",
         {TypeKind::kDouble},
         kTimestamp,
         from_epoch,
         "The time so many seconds after 1970-01-01.",
         "to_timestamp(1704067200.5)"});
  r.add({"round_timestamp", {kTs, TypeKind::kInt}, kTimestamp, round_timestamp, {}, {}});  // x::timestamp(n)
}

}  // namespace weir::expr
