#include "operators/aggregate/window_shape.h"

#include <catch2/catch.hpp>
#include <random>

// Windows of days in a time zone against a list of all windows, made from the zone alone.

namespace weir {
namespace {

constexpr std::int64_t kDay = 86'400'000'000;

struct Window {
  std::int64_t start, end;
};

/// All windows that are not empty from 2010 to 2014: their local borders, turned into instants.
std::vector<Window> all_windows(const WindowShape& shape, const TimeZone& zone) {
  std::vector<Window> windows;
  const std::int64_t first = 14'610 * kDay / shape.size * shape.size + shape.offset;
  for (std::int64_t start = first; start < first + 1461 * kDay;
       start += shape.kind == WindowShape::Kind::kHopping ? shape.every : shape.size)
    for (std::int64_t end = start + (shape.kind == WindowShape::Kind::kCumulate ? shape.every : shape.size);
         end <= start + shape.size; end += shape.every)
      if (zone.instant_of(start) < zone.instant_of(end)) windows.push_back({zone.instant_of(start), zone.instant_of(end)});
  return windows;
}

void check(const WindowShape& shape, const TimeZone& zone, std::mt19937_64& random) {
  const std::vector<Window> windows = all_windows(shape, zone);
  for (int i = 0; i < 300; ++i) {
    std::int64_t time = 15'000 * kDay + static_cast<std::int64_t>(random() % (900 * kDay));
    if (random() % 2)
      time = windows[windows.size() / 3 + random() % (windows.size() / 3)].end - static_cast<std::int64_t>(random() % 2);
    std::vector<std::int64_t> expected, found;
    for (const Window& w : windows)
      if (w.start <= time && time < w.end) expected.push_back(w.end);
    std::sort(expected.begin(), expected.end());
    // Several windows of which one is empty may end at once.
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const std::int64_t slice = shape.slice_end(time), last = shape.last_window_end(slice);
    REQUIRE(shape.slice_start(slice) <= time);
    REQUIRE(time < slice);
    for (std::int64_t end = shape.first_window_end(slice); end <= last; end = shape.window_end_from(end + 1)) {
      REQUIRE(shape.window_start(end) <= time);
      found.push_back(end);
    }
    INFO(time);
    REQUIRE(found == expected);
  }
}

TEST_CASE("a time is in the windows whose local borders are around it, whatever the clocks do") {
  std::mt19937_64 random(1);
  for (const char* name :
       {"Europe/Berlin", "America/Sao_Paulo", "America/St_Johns", "America/Havana", "Pacific/Apia", "Asia/Kathmandu"}) {
    std::string problem;
    const auto zone = TimeZone::load(name, problem);
    REQUIRE(zone);
    for (WindowShape shape :
         {WindowShape::tumbling({kDay}, {0}), WindowShape::tumbling({7 * kDay}, {4 * kDay}),
          WindowShape::tumbling({kDay}, {8 * 3600'000'000LL}), WindowShape::hopping({3 * kDay}, {kDay}, {0}),
          WindowShape::hopping({5 * kDay}, {2 * kDay}, {0}), WindowShape::cumulate({7 * kDay}, {kDay}, {0})}) {
      shape.zone = zone;
      INFO(name << " " << shape.size / kDay << " " << shape.every / kDay);
      check(shape, *zone, random);
    }
  }
}

TEST_CASE("times at the ends of what 64 bits hold have windows") {
  std::string problem;
  WindowShape shape = WindowShape::tumbling({kDay}, {0});
  shape.zone = TimeZone::load("Europe/Berlin", problem);
  for (const std::int64_t time : {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX}) CHECK(shape.slice_end(time) >= time);
}

}  // namespace
}  // namespace weir
