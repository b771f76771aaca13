#pragma once
#include <string>
#include <string_view>

#include "runtime/data/column.h"

namespace weir {

/// Appends `text` as a JSON string. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
/// Appends the value as JSON, as users see it: timestamps ISO-8601, NaN as string, bytea as base64.
/// For messages and dumps; sinks have faster writers in connectors/formats.
void append_json(std::string& out, const Column& column, std::int64_t i);
/// Appends a JSON text without the white space between its tokens; numbers and strings stay as they are written.
void append_compact_json(std::string& out, std::string_view json);
/// Appends a date as ISO 8601 has it, years outside of 0 to 9999 with a sign; readers of JSON take it back.
void append_iso_date(std::string& out, std::int64_t days);

}  // namespace weir
