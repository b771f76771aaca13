#pragma once
#include <cstdint>
#include <string>

#include "runtime/data/type.h"

namespace weir {

/// Single values as PostgreSQL prints them, appended to `out`. Decimals are in decimal.h.
void append_integer(std::string& out, std::int64_t v);
/// The shortest text that reads back as the same double: `0.1`, `1e+20`, `NaN`, `-Infinity`.
void append_double(std::string& out, double v);
/// `2024-02-29`, from days since 1970-01-01.
void append_date(std::string& out, std::int64_t days);
/// `2024-02-29 12:34:56.789`, from microseconds since 1970-01-01; as many digits of the fraction as needed.
void append_timestamp(std::string& out, std::int64_t micros);
/// `1 year 2 mons 3 days 04:05:06.7`.
void append_interval(std::string& out, const Interval& v);
/// `\x00ff`.
void append_bytea(std::string& out, std::string_view v);

}  // namespace weir
