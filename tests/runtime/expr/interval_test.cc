#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

// Expected values are those of PostgreSQL 15.

TEST_CASE("intervals of one length are equal wherever they are compared") {
  for (const std::string same :
       {"interval '1 month' = interval '720 hours'", "interval '1 day' in (interval '24 hours', interval '2 days')",
        "interval '1 day' in (interval '24 hours')",
        "case interval '30 days' when interval '1 month' then true else false end",
        "nullif(interval '1 day', interval '24 hours') is null",
        "interval '36 hours' between interval '1 day 12:00' and interval '1.5 days'"}) {
    INFO(same);
    CHECK(value_of(same) == "t");
  }
}

TEST_CASE("fractions of intervals go down to days of 30 and to seconds, rounded at each step") {
  CHECK(value_of("interval '1 day' / 3") == "08:00:00");
  CHECK(value_of("interval '1 day' / 7") == "03:25:42.857143");
  CHECK(value_of("interval '10 days' / 3") == "3 days 08:00:00");
  CHECK(value_of("interval '3 days' / 9") == "08:00:00");
  CHECK(value_of("interval '1 month 1 day' / 3") == "10 days 08:00:00");
  CHECK(value_of("interval '1 day' / 0.7") == "1 day 10:17:08.571429");
  CHECK(value_of("interval '1 year 1 day' * 0.333") == "3 mons 30 days 05:06:43.2");
  CHECK(value_of("0.5 * interval '1 month'") == "15 days");
  CHECK(value_of("interval '-1 day' / 3") == "-08:00:00");
  CHECK(value_of("interval '1 month' / 30") == "1 day");
  CHECK(value_of("interval '1 month' * 1.0001") == "1 mon 00:04:19.2");
  CHECK(value_of("interval '2000000000 days' * 1.5").starts_with("error: interval out of range"));
}

TEST_CASE("intervals are read as PostgreSQL reads them") {
  const auto read = [](const std::string& text) { return value_of("interval '" + text + "'"); };
  CHECK(read("1 2:03:04") == "1 day 02:03:04");
  CHECK(read("-1 2:03:04") == "-1 days +02:03:04");
  CHECK(read("1 -2:03:04") == "1 day -02:03:04");
  CHECK(read("1.5 2:03") == "1 day 14:03:00");
  CHECK(read("-1-2 3 4:05") == "-1 years -2 mons +3 days 04:05:00");
  CHECK(read("5 days 3") == "5 days 00:00:03");
  CHECK(read("1 c 2 decs") == "120 years");
  CHECK(read("1 mil") == "1000 years");
  CHECK(read("3 hr 2 min 1 usec") == "03:02:00.000001");
  CHECK(read("1.3 years") == "1 year 4 mons");
  CHECK(read("1.3 months") == "1 mon 9 days");
  CHECK(read("0.1 day") == "02:24:00");
  CHECK(read("1:02:03.1234567") == "01:02:03.123457");
  for (const char* text : {"1 2", "1 2 3:04", "3 4 days", "1 quarter", "x", "1 day:", "1 hour 1 hour", "1 day 2 days",
                           "1:00 2 hours", "1-2 3 months", "1 s 2:00"})
    CHECK(refusals("interval '" + std::string(text) + "'").at(0).find("invalid input syntax for type interval") !=
          std::string::npos);
}

TEST_CASE("an interval type may name its fields") {
  CHECK(value_of("interval '5' minute") == "00:05:00");
  CHECK(value_of("interval '5' year") == "5 years");
  CHECK(value_of("interval '5' year to month") == "5 mons");
  CHECK(value_of("interval '1-2' year to month") == "1 year 2 mons");
  CHECK(value_of("interval '2:03' minute to second") == "00:02:03");
  CHECK(value_of("interval '2:03.5' minute to second") == "00:02:03.5");
  CHECK(value_of("interval '1:02:03' minute to second") == "01:02:03");
  CHECK(value_of("interval '2:03' hour to minute") == "02:03:00");
  CHECK(value_of("interval '1 day 2:03:04.5678' day to hour") == "1 day 02:00:00");
  CHECK(value_of("interval '1.23456789' second(3)") == "00:00:01.235");
  CHECK(value_of("interval(2) '1.23456 sec'") == "00:00:01.23");
  CHECK(value_of("interval '3.7' day") == "3 days");
  CHECK(value_of("interval '1 day' year") == "00:00:00");
  CHECK(value_of("interval '100' hour to second") == "00:01:40");
}

TEST_CASE("units have the abbreviations of PostgreSQL") {
  CHECK(value_of("date_trunc('mon', timestamp '2024-05-05')") == "2024-05-01 00:00:00");
  CHECK(value_of("date_trunc('qtr', timestamp '2024-05-05')") == "2024-04-01 00:00:00");
  CHECK(value_of("date_trunc('hr', timestamp '2024-05-05 12:34')") == "2024-05-05 12:00:00");
  CHECK(value_of("date_trunc('Y', timestamp '2024-05-05 12:34')") == "2024-01-01 00:00:00");
  CHECK(value_of("extract(usecs from timestamp '2024-05-05 12:34:01')") == "1000000");
  CHECK(value_of("date_part('dec', timestamp '2024-05-05')") == "202");
}

TEST_CASE("a date has no time of day to extract") {
  CHECK(value_of("extract(year from date '2024-01-02')") == "2024");
  CHECK(value_of("extract(epoch from date '2024-01-01')") == "1704067200.000000");
  CHECK(value_of("date_part('hour', date '2024-01-01')") == "0");
  CHECK(refusals("extract(hour from date '2024-01-01')") ==
        Texts{"8: unit \"hour\" is not known for type date (use year, month, day, dow, epoch, …)"});
  CHECK(refusals("extract(microseconds from at::date)").size() == 1);
}
