#include "connectors/formats/point_in_time.h"

#include "connectors/formats/json/json_scalar.h"
#include "runtime/data/decimal.h"
#include "runtime/data/timestamp_text.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

namespace {

constexpr std::int64_t kBehindYear9999 = 253'402'300'800'000'000;  // 10000-01-01 in microseconds

TimestampFormat by_size(std::string_view number) {
  const std::int64_t digits = size_of_number(number).digits;
  return digits <= 11   ? TimestampFormat::kEpochSeconds
         : digits <= 14 ? TimestampFormat::kEpochMillis
         : digits <= 17 ? TimestampFormat::kEpochMicros
                        : TimestampFormat::kEpochNanos;
}

/// Rounds half away from zero.
Int128 divide(Int128 value, Int128 by) { return (value + (value < 0 ? -by / 2 : by / 2)) / by; }

/// Decimal places of a number in this form that are whole microseconds.
int places_of(TimestampFormat format) {
  switch (format) {
    case TimestampFormat::kEpochSeconds: return 6;
    case TimestampFormat::kEpochMillis: return 3;
    default: return 0;
  }
}

}  // namespace

PointInTime read_epoch(std::string_view number, TimestampFormat format, std::int64_t& micros) {
  if (format == TimestampFormat::kAuto) format = by_size(number);
  const bool nanos = format == TimestampFormat::kEpochNanos;
  constexpr int kFinePlaces = 3;  // so that rounding twice does not show
  const ParsedDecimal d = parse_decimal(number, nanos ? kFinePlaces : places_of(format));
  if (d.status == ParsedDecimal::Status::kSyntax) return PointInTime::kNone;
  if (d.status == ParsedDecimal::Status::kOverflow)
    return number.starts_with('-') ? PointInTime::kNone : PointInTime::kTooLate;
  const Int128 value = nanos ? divide(d.value, 1'000'000) : d.value;
  if (value >= kBehindYear9999) return PointInTime::kTooLate;
  micros = static_cast<std::int64_t>(value);
  return micros == value ? PointInTime::kOk : PointInTime::kNone;
}

bool names_no_day(std::string_view text) {
  std::int32_t days;
  return parse_date(text.substr(0, text.find_first_of("Tt ")), days) == ParseStatus::kRange;
}

PointInTime read_point_in_time(std::string_view text, std::int64_t& micros) {
  if (parse_timestamp(text, TimestampText::kAny, micros)) [[likely]]
    return PointInTime::kOk;
  switch (parse_timestamp(text, micros)) {
    case ParseStatus::kOk: return PointInTime::kOk;
    case ParseStatus::kSyntax: return PointInTime::kNone;
    case ParseStatus::kRange: break;
  }
  return names_no_day(trim_blanks(text)) ? PointInTime::kNoSuchDay : PointInTime::kNoSuchTime;
}

PointInTime read_point_in_time(std::string_view text, TimestampFormat format, std::int64_t& micros) {
  const bool iso = format == TimestampFormat::kIso, sql = format == TimestampFormat::kSql;
  if (iso || sql) {
    if (parse_timestamp(text, iso ? TimestampText::kIso : TimestampText::kSql, micros)) return PointInTime::kOk;
    std::int64_t other;
    const PointInTime any = read_point_in_time(text, other);
    return any == PointInTime::kOk ? PointInTime::kNone : any;
  }
  if (format == TimestampFormat::kAuto && parse_timestamp(text, TimestampText::kAny, micros)) return PointInTime::kOk;
  const PointInTime number = read_epoch(trim_blanks(text), format, micros);
  return number == PointInTime::kNone && format == TimestampFormat::kAuto ? read_point_in_time(text, micros) : number;
}

std::string_view name_of(TimestampFormat format) {
  switch (format) {
    case TimestampFormat::kAuto: return "timestamp";
    case TimestampFormat::kIso: return "timestamp as in 2024-01-31T10:20:30Z";
    case TimestampFormat::kSql: return "timestamp as in 2024-01-31 10:20:30";
    case TimestampFormat::kEpochSeconds: return "timestamp in epoch seconds";
    case TimestampFormat::kEpochMillis: return "timestamp in epoch milliseconds";
    case TimestampFormat::kEpochMicros: return "timestamp in epoch microseconds";
    case TimestampFormat::kEpochNanos: return "timestamp in epoch nanoseconds";
  }
  return "timestamp";
}

}  // namespace weir
