#include "runtime/data/value_text.h"
#include "runtime/expr/bind/registry.h"
#include "runtime/expr/text/calendar.h"
#include "runtime/expr/text/parse_value.h"

namespace weir::expr {

namespace {

constexpr TypeKind kT = TypeKind::kVarchar;
constexpr TypeKind kTs = TypeKind::kTimestamp;

std::string unknown_unit(std::string_view name) {
  return fmt::format(
      "unit {} is not known: use microseconds, milliseconds, second, minute, hour, day, week, month, quarter, year, …",
      quoted_for_message(name));
}

void truncate(const KernelCall& c) {
  map_valid<std::int64_t>(
      c, [&, unit = std::optional<TimeField>{}, of = std::string_view{}](std::int32_t i) mutable -> std::int64_t {
        const std::string_view name = c[0].text(i);
        if (!unit || of.data() != name.data() || of.size() != name.size()) unit = time_field_named(name), of = name;
        const std::int64_t t = c[1].value<std::int64_t>(i);
        const std::optional<std::int64_t> v = unit ? truncate_timestamp(*unit, t) : std::nullopt;
        if (v) return *v;
        std::string reason = unknown_unit(name);
        if (unit) {
          reason = "timestamp out of range: ";
          append_timestamp(reason, t);
        }
        c.fail(i, std::move(reason));
        return 0;
      });
}

/// The binder has checked the field, which is a constant, and chosen the type's scale for it.
void extract_timestamp(const KernelCall& c) {
  const TimeField field = *time_field_named(c[0].text(0));
  map_unary_second<Int128, std::int64_t>(c, [field](std::int64_t t) { return Int128{extract_field(field, t)}; });
}

void extract_interval(const KernelCall& c) {
  const TimeField field = *time_field_named(c[0].text(0));
  map_valid<Int128>(c, [&](std::int32_t i) -> Int128 {
    const std::optional<std::int64_t> v = extract_field(field, c[1].value<Interval>(i));
    if (v) return *v;
    std::string reason = "interval out of range: ";
    append_interval(reason, c[1].value<Interval>(i));
    c.fail(i, std::move(reason));
    return 0;
  });
}

Type part_type(std::span<const Type>) { return Type::decimal(20, 6); }

void now(const KernelCall& c) {
  const std::int64_t t = c.frame.context.now.micros;
  std::fill_n(c.out.fresh<std::int64_t>(c.rows.batch), c.rows.batch, t);
}
void current_date(const KernelCall& c) {
  const auto day = static_cast<std::int32_t>(split_timestamp(c.frame.context.now.micros).day);
  std::fill_n(c.out.fresh<std::int32_t>(c.rows.batch), c.rows.batch, day);
}

}  // namespace

void add_time_parts_functions(Registry& r) {
  r.add({"date_trunc",
         {kT, kTs},
         always<Type::timestamp>,
         truncate,
         "The beginning of the second, minute, hour, day, week (Monday), month, quarter, year, … that a time lies in.",
         "date_trunc('hour', timestamp '2024-02-29 12:34:56')"});
  r.add({"extract",
         {kT, kTs},
         part_type,
         extract_timestamp,
         "A part of a time: year, quarter, month, week (ISO), day, hour, minute, second, milliseconds, microseconds, dow "
         "(Sunday 0), isodow, doy, isoyear, epoch, …",
         "extract(year from timestamp '2024-02-29')"});
  r.add({"extract",
         {kT, TypeKind::kInterval},
         part_type,
         extract_interval,
         "A part of an interval: year, month, day, hour, minute, second, epoch, …",
         "extract(hour from interval '1 day 2 hours')"});
  r.add({"date_part",
         {kT, kTs},
         always<Type::dbl>,
         extract_timestamp,
         "As extract, but a double.",
         "date_part('year', timestamp '2024-02-29')"});
  r.add({"date_part",
         {kT, TypeKind::kInterval},
         always<Type::dbl>,
         extract_interval,
         "As extract, but a double.",
         "date_part('hour', interval '2 hours')"});
  for (const char* name : {"now", "transaction_timestamp"}) {
    Signature s{name,
                {},
                always<Type::timestamp>,
                now,
                "The time at which the batch of the row is processed; also written current_timestamp.",
                "now() = current_timestamp"};
    s.deterministic = false;
    r.add(s);
  }
  Signature today{"current_date",
                  {},
                  always<Type::date>,
                  current_date,
                  "The day at which the batch of the row is processed; written without parentheses.",
                  "current_date = now()::date"};
  today.deterministic = false;
  r.add(today);
}

}  // namespace weir::expr
