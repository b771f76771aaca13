#include "runtime/config/scalars.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("durations are a whole number and a unit") {
  CHECK(parse_duration("250ms") == Duration{250'000});
  CHECK(parse_duration("10s") == Duration{10'000'000});
  CHECK(parse_duration("5m") == Duration{300'000'000});
  CHECK(parse_duration("1h") == Duration{3'600'000'000});
  CHECK(parse_duration("7d") == Duration{7 * 86'400'000'000});
  CHECK(parse_duration("0") == Duration{0});
  for (const char* text : {"", "10", "s", "-1s", "1.5s", "1 s", "1h30m", "10S", "99999999999d", "0x1s", "+1s"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("sizes are a whole number and a unit") {
  CHECK(parse_size("512B") == 512);
  CHECK(parse_size("64KiB") == 65536);
  CHECK(parse_size("4MiB") == 4 << 20);
  CHECK(parse_size("1GiB") == 1 << 30);
  CHECK(parse_size("0") == 0);
  for (const char* text : {"", "64", "64KB", "64kib", "-1KiB", "9999999999999TiB", "1.5GiB"}) CHECK_FALSE(parse_size(text));
}

TEST_CASE("times are ISO-8601 or milliseconds since the epoch") {
  const Timestamp start{1'704'067'200'000'000};
  CHECK(parse_time("2024-01-01T00:00:00Z") == start);
  CHECK(parse_time("2024-01-01T02:00:00+02:00") == start);
  CHECK(parse_time("2024-01-01") == start);
  CHECK(parse_time("1704067200000") == start);
  CHECK(parse_time("0") == Timestamp{0});
  CHECK(parse_time("2024-01-01T00:00:00.123456Z") == start + Duration{123'456});
  for (const char* text : {"", "yesterday", "2024-13-01T00:00:00Z", "2024-02-30", "99999999999999999999"})
    CHECK_FALSE(parse_time(text));
}

TEST_CASE("booleans and numbers are written one way only") {
  CHECK(parse_boolean("true") == true);
  CHECK(parse_boolean("false") == false);
  CHECK_FALSE(parse_boolean("yes"));
  CHECK_FALSE(parse_boolean("True"));
  CHECK(parse_integer("-12") == -12);
  CHECK_FALSE(parse_integer("1e3"));
  CHECK_FALSE(parse_integer("12 "));
  CHECK_FALSE(parse_integer("99999999999999999999"));
  CHECK(parse_number("1e3") == 1000.0);
  CHECK_FALSE(parse_number("inf"));
  CHECK_FALSE(parse_number("1x"));
}
