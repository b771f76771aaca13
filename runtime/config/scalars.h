#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/base/time.h"

namespace weir {

/// Reads what people write; nullopt for anything else, also for what does not fit.
std::optional<bool> parse_boolean(std::string_view text);          ///< `true`, `false`
std::optional<std::int64_t> parse_integer(std::string_view text);  ///< `-12`
std::optional<double> parse_number(std::string_view text);         ///< `1`, `0.5`, `1e3`; finite
/// `250ms`, `10s`, `5m`, `1h`, `7d`, also `us`; `0` needs no unit. Not negative.
std::optional<Duration> parse_duration(std::string_view text);
/// Bytes: `512B`, `64KiB`, `4MiB`, `1GiB`, `1TiB`; `0` needs no unit.
std::optional<std::int64_t> parse_size(std::string_view text);
/// `2024-01-01T00:00:00Z` (also with a space, a fraction, an offset like `+02:00`; UTC where no zone is said), `2024-01-01`,
/// or milliseconds since the epoch.
std::optional<Timestamp> parse_time(std::string_view text);

}  // namespace weir
