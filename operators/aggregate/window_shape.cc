#include "operators/aggregate/window_shape.h"

#include <limits>
#include <numeric>

namespace weir {
namespace {

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

/// The largest origin + k * step <= time.
std::int64_t floor_to(std::int64_t time, std::int64_t step, std::int64_t origin) {
  const auto difference = static_cast<__int128_t>(time) - origin;
  __int128_t k = difference / step;
  if (difference % step < 0) --k;
  const __int128_t at = k * step + origin;
  return at < std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::min()
                                                       : static_cast<std::int64_t>(at);
}

/// The same where nothing can overflow: the usual case.
std::int64_t near_floor(std::int64_t time, std::int64_t step, std::int64_t origin) {
  const std::int64_t difference = time - origin;
  const std::int64_t rest = difference % step;
  return time - (rest < 0 ? rest + step : rest);
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? kLast : std::numeric_limits<std::int64_t>::min()) : sum;
}

constexpr std::int64_t kNear = std::int64_t{1} << 61;

}  // namespace

WindowShape WindowShape::tumbling(Duration size, Duration offset) {
  return {Kind::kTumbling, size.micros, size.micros, offset.micros, size.micros};
}
WindowShape WindowShape::hopping(Duration size, Duration every, Duration offset) {
  return {Kind::kHopping, size.micros, every.micros, offset.micros, std::gcd(size.micros, every.micros)};
}
WindowShape WindowShape::cumulate(Duration size, Duration every, Duration offset) {
  return {Kind::kCumulate, size.micros, every.micros, offset.micros, every.micros};
}

std::string WindowShape::text() const {
  std::string out = kind == Kind::kTumbling ? "tumbling " : kind == Kind::kHopping ? "hopping " : "cumulate ";
  out += format_duration({size});
  if (kind != Kind::kTumbling) out += " every " + format_duration({every});
  if (offset != 0) out += " offset " + format_duration({offset});
  return zone ? out + " zone " + zone_name : out;
}

std::int64_t WindowShape::instant(std::int64_t local) const {
  return zone && local > -kNear && local < kNear ? zone->instant_of(local) : local;
}

/// The last border of slices, on the local clock, that is not after an instant.
std::int64_t WindowShape::local_before(std::int64_t time) const {
  if (!zone || time <= -kNear || time >= kNear) return floor_to(time, slice, offset);
  std::int64_t local = near_floor(zone->local_of(time), slice, offset);
  while (instant(local + slice) <= time) local += slice;  // the clock was set back over the border
  while (instant(local) > time) local -= slice;
  return local;
}

/// The first one that is not before an instant. A day that the clock leaves out begins and ends at once: its border is that
/// of the day before.
std::int64_t WindowShape::local_from(std::int64_t time) const {
  std::int64_t local = local_before(time);
  if (instant(local) < time) return add(local, slice);
  while (zone && instant(local - slice) == time) local -= slice;
  return local;
}

std::int64_t WindowShape::slice_end(std::int64_t time) const {
  if (!zone && time > -kNear && time < kNear) [[likely]]
    return near_floor(time, slice, offset) + slice;
  return instant(add(local_before(time), slice));
}

std::int64_t WindowShape::slice_start(std::int64_t end) const {
  return zone ? instant(local_from(end) - slice) : end - slice;
}

std::int64_t WindowShape::first_window_end(std::int64_t end) const {
  return kind == Kind::kHopping ? window_end_from(end) : end;
}

std::int64_t WindowShape::last_window_end(std::int64_t end) const {
  const std::int64_t local = zone ? local_from(end) : end;
  switch (kind) {
    case Kind::kTumbling: return end;
    case Kind::kHopping: return instant(floor_to(add(local, size - slice), every, add(offset, size % every)));
    case Kind::kCumulate: return instant(add(floor_to(add(local, -1), size, offset), size));
  }
  return end;
}

std::int64_t WindowShape::window_start(std::int64_t end) const {
  const std::int64_t local = zone ? local_from(end) : end;
  return instant(kind == Kind::kCumulate ? floor_to(add(local, -1), size, offset) : add(local, -size));
}

std::int64_t WindowShape::window_end_from(std::int64_t time) const {
  return instant(local_window_end_from(zone ? local_from(time) : time));
}

std::int64_t WindowShape::local_window_end_from(std::int64_t local) const {
  const std::int64_t origin = kind == Kind::kHopping ? add(offset, size % every) : offset;
  const std::int64_t before = floor_to(local, every, origin);
  return before == local ? local : add(before, every);
}

}  // namespace weir
