#include "runtime/config/scalars.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "runtime/data/timestamp_text.h"

namespace weir {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

/// A whole number followed by one of the units; 0 needs none.
std::optional<std::int64_t> with_unit(std::string_view text, const Unit* begin, const Unit* end) {
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || text.starts_with('-')) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (unit.empty()) return number == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  for (const Unit* u = begin; u != end; ++u) {
    if (u->name != unit) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / u->factor) return std::nullopt;
    return number * u->factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<Duration> parse_duration(std::string_view text) {
  static constexpr Unit kUnits[] = {{"us", 1},         {"ms", 1000},         {"s", 1'000'000},
                                    {"m", 60'000'000}, {"h", 3'600'000'000}, {"d", 86'400'000'000}};
  const auto micros = with_unit(text, std::begin(kUnits), std::end(kUnits));
  return micros ? std::optional(Duration{*micros}) : std::nullopt;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  static constexpr Unit kUnits[] = {
      {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", std::int64_t{1} << 40}};
  return with_unit(text, std::begin(kUnits), std::end(kUnits));
}

std::optional<Timestamp> parse_time(std::string_view text) {
  if (const auto millis = parse_integer(text)) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
    return *millis >= -kMost && *millis <= kMost ? std::optional(Timestamp{*millis * 1000}) : std::nullopt;
  }
  std::int64_t micros = 0;
  return parse_timestamp(text, TimestampText::kAny, micros) ? std::optional(Timestamp{micros}) : std::nullopt;
}

}  // namespace weir
