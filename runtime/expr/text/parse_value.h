#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/data/column.h"

namespace weir {

/// What reading a value from text came to.
enum class ParseStatus {
  kOk,
  kSyntax,  ///< not a value of the type
  kRange,   ///< a value that the type cannot hold
};

/// Read single values from text by PostgreSQL's input rules; blanks at both ends are allowed. No allocation.
ParseStatus parse_int(std::string_view text, std::int32_t& out);
ParseStatus parse_bigint(std::string_view text, std::int64_t& out);
/// Also `nan`, `infinity`, `inf`, in any case.
ParseStatus parse_double(std::string_view text, double& out);
/// `t true yes on 1` and `f false no off 0`, or an unambiguous beginning of one, in any case.
ParseStatus parse_boolean(std::string_view text, bool& out);
/// Rounds half away from zero to `scale`; kRange when more than `precision` digits are needed.
ParseStatus parse_decimal_value(std::string_view text, int precision, int scale, Int128& out);
/// `2024-02-29`, or a timestamp, whose time of day is cut off. Days since 1970-01-01.
ParseStatus parse_date(std::string_view text, std::int32_t& out);
/// ISO 8601: `2024-02-29[T ]12:34[:56[.123456789]][Z|+01:00|+0100|+01]`, also a date alone, `2024-2-9 1:02`, `2024/2/9`,
/// `20240229T123456`; an offset is honoured, digits behind the microsecond are cut. Years before 1 are written `0044-03-15
/// BC` or with a sign, as ISO counts them (`-0043`). Microseconds since 1970-01-01T00:00:00Z.
ParseStatus parse_timestamp(std::string_view text, std::int64_t& out);
/// `1 day 2 hours`, `1 2:03:04`, `1.5 h`, `2 mons -3 days 04:05:06.7`, `1 day ago`, `1-2` (years and months),
/// `P1Y2M3DT4H5M6.7S`.
ParseStatus parse_interval(std::string_view text, Interval& out);
/// `\x00ff`, else text with `\\` and octal `\000`; appended to `out`.
ParseStatus parse_bytea(std::string_view text, std::string& out);
/// Checks that the text is one JSON document.
ParseStatus check_json(std::string_view text);

/// Why a text is no value of a type: `invalid input syntax for type int: "abc"`.
std::string parse_failure(ParseStatus status, const Type& type, std::string_view text);

/// Appends the value that `text` stands for to a builder of a scalar type. On failure returns the reason and appends
/// nothing. Varchar takes the text as it is; nested types are refused.
std::optional<std::string> append_parsed(ColumnBuilder& builder, std::string_view text);

/// `"text"` for messages, cut after 100 bytes.
std::string quoted_for_message(std::string_view text);

}  // namespace weir
