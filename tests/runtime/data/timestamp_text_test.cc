#include "runtime/data/timestamp_text.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/base/time.h"

namespace weir {

namespace {

/// What the text means, as ISO; or `none`.
std::string read(std::string_view text, TimestampText form = TimestampText::kAny) {
  std::int64_t micros;
  return parse_timestamp(text, form, micros) ? format_iso({micros}) : "none";
}

}  // namespace

TEST_CASE("points in time are read in their forms") {
  for (const char* text :
       {"2024-02-29T12:34:56.5Z", "2024-02-29T12:34:56.500", "2024-02-29 12:34:56.5", "2024-02-29T14:34:56.5+02:00",
        "2024-02-29T04:04:56.5-08:30", "2024-02-29T14:34:56.5+0200", "2024-02-29 14:34:56.5+02", "+2024-02-29T12:34:56.5Z"})
    CHECK(read(text) == "2024-02-29T12:34:56.500Z");
  for (const char* text : {"2024-02-29T12:34Z", "2024-02-29T12:34", "2024-02-29 12:34", "2024-02-29T14:34+02:00"})
    CHECK(read(text) == "2024-02-29T12:34:00.000Z");
  CHECK(read("2024-02-29T12:34Z", TimestampText::kIso) == "2024-02-29T12:34:00.000Z");
  CHECK(read("2024-02-29 12:34", TimestampText::kSql) == "none");
  CHECK(read("2024-02-29") == "2024-02-29T00:00:00.000Z");
  CHECK(read("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00.000Z");
  CHECK(read("2024-02-29 12:34:56,5") == "2024-02-29T12:34:56.500Z");
  CHECK(read("+294247-01-10T04:00:54.775807Z") == "+294247-01-10T04:00:54.775807Z");
  CHECK(read("+294247-01-10T04:00:54.775808Z") == "none");
  CHECK(read("+9999999-01-01") == "none");
  CHECK(read("2024-02-29 24:00:00") == "2024-03-01T00:00:00.000Z");
  CHECK(read("2024-02-29T12:34:56.123456789Z") == "2024-02-29T12:34:56.123457Z");
  CHECK(read("0001-01-01 00:00:00") == "0001-01-01T00:00:00.000Z");
  CHECK(read("1969-12-31T23:59:59.999999Z") == "1969-12-31T23:59:59.999999Z");
  CHECK(read("+10000-01-01T00:00:00Z") == "+10000-01-01T00:00:00.000Z");
}

TEST_CASE("digits behind the microsecond are rounded, halves to the even one") {
  CHECK(read("2024-01-01T23:59:59.9999999Z") == "2024-01-02T00:00:00.000Z");
  CHECK(read("2024-12-31 23:59:59.9999999") == "2025-01-01T00:00:00.000Z");
  CHECK(read("+2024-12-31T23:59:59.9999999Z") == "2025-01-01T00:00:00.000Z");
  CHECK(read("2024-01-01T00:00:00.0000005Z") == "2024-01-01T00:00:00.000Z");
  CHECK(read("2024-01-01T00:00:00.0000015Z") == "2024-01-01T00:00:00.000002Z");
  CHECK(read("2024-01-01T00:00:00.00000050000000000000000000000001Z") == "2024-01-01T00:00:00.000Z");
  CHECK(read("2024-01-01T00:00:00.12345649999999999999999999999999Z") == "2024-01-01T00:00:00.123456Z");
}

TEST_CASE("each form is only its own") {
  CHECK(read("2024-02-29T12:34:56Z", TimestampText::kIso) != "none");
  CHECK(read("2024-02-29T12:34:56", TimestampText::kIso) != "none");
  CHECK(read("2024-02-29 12:34:56", TimestampText::kIso) == "none");
  CHECK(read("2024-02-29", TimestampText::kIso) == "none");
  CHECK(read("2024-02-29 12:34:56", TimestampText::kSql) != "none");
  CHECK(read("2024-02-29T12:34:56", TimestampText::kSql) == "none");
  CHECK(read("2024-02-29 12:34:56Z", TimestampText::kSql) == "none");
  CHECK(read("2024-02-29", TimestampText::kSql) == "none");
}

TEST_CASE("what is no point in time is refused") {
  for (const char* text : {"",
                           " ",
                           "x",
                           "2024",
                           "2024-02",
                           "2024-2-9",
                           "2023-02-29",
                           "2100-02-29",
                           "2024-04-31",
                           "2024-00-10",
                           "2024-13-01",
                           "2024-01-00",
                           "2024-01-32",
                           " 2024-02-29",
                           "2024-02-29 ",
                           "2024-02-29T",
                           "2024-02-29T12",
                           "2024-02-29T12:34:",
                           "2024-02-29T12:34:Z",
                           "2024-02-29T12:34.5",
                           "2024-02-29T12:3",
                           "2024-02-29T24:01",
                           "2024-02-29T24:00:01",
                           "2024-02-29T25:00:00",
                           "2024-02-29T12:60:00",
                           "2024-02-29T12:34:61",
                           "2024-02-29T12:34:56.",
                           "2024-02-29T12:34:56.Z",
                           "2024-02-29T12:34:56z",
                           "2024-02-29T12:34:56+",
                           "2024-02-29T12:34:56+2",
                           "2024-02-29T12:34:56+02:",
                           "2024-02-29T12:34:56+02:60",
                           "2024-02-29T12:34:56+16",
                           "2024-02-29T12:34:56Zx",
                           "20240229",
                           "1709210096789",
                           "+999999-01-01",
                           "-02-29-01",
                           "2024/02/29"}) {
    INFO(text);
    CHECK(read(text) == "none");
  }
}

TEST_CASE("every written point in time reads back as itself") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t micros =
        static_cast<std::int64_t>(random() % 18'000'000'000'000'000'000u - 9'000'000'000'000'000'000u);
    const std::string text = format_iso({micros});
    std::int64_t back;
    if (!parse_timestamp(text, TimestampText::kIso, back) || back != micros) FAIL(text);
  }
}

TEST_CASE("dates are read exactly") {
  std::int32_t days = 0;
  CHECK((parse_plain_date("2024-02-29", days) && days == 19782));
  CHECK((parse_plain_date("1969-12-31", days) && days == -1));
  for (const char* text : {"2023-02-29", "2024-02-29 ", "2024-02-29T00:00:00", "2024-2-9", ""})
    CHECK(!parse_plain_date(text, days));
}

}  // namespace weir
