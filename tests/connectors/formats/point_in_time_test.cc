#include "connectors/formats/point_in_time.h"

#include <catch2/catch.hpp>

#include "connectors/formats/json/json_decoder.h"
#include "connectors/formats/json/json_encoder.h"
#include "connectors/formats/json/json_scalar.h"
#include "runtime/base/time.h"
#include "tests/connectors/formats/decoding.h"

namespace weir {

namespace {

using test::decode;
using test::schema_of;
using Texts = std::vector<std::string>;

/// What a member `t` of this JSON means in this form, as ISO; or the error.
std::string read(const std::string& json, TimestampFormat format = TimestampFormat::kAuto) {
  const Schema schema = schema_of({{"t", "timestamp"}});
  JsonDecoder decoder(schema, {.timestamp = format});
  const test::Decoded d = decode(decoder, schema, {"{\"t\":" + json + "}"});
  return d.errors.empty() ? format_iso({d.columns[0]->values<std::int64_t>()[0]})
                          : d.errors[0].substr(d.errors[0].find("t: ") + 3);
}

/// The same for a number, and for one in a text, which must be the same.
std::string number(const std::string& digits, TimestampFormat format = TimestampFormat::kAuto) {
  const std::string bare = read(digits, format), quoted = read('"' + digits + '"', format);
  return bare == quoted ? bare : bare + " | " + quoted;
}

constexpr auto kSeconds = TimestampFormat::kEpochSeconds, kMillis = TimestampFormat::kEpochMillis,
               kMicros = TimestampFormat::kEpochMicros, kNanos = TimestampFormat::kEpochNanos;

}  // namespace

TEST_CASE("numbers are points in time by their size") {
  CHECK(number("1700000000") == "2023-11-14T22:13:20.000Z");
  CHECK(number("1700000000123") == "2023-11-14T22:13:20.123Z");
  CHECK(number("1700000000123456") == "2023-11-14T22:13:20.123456Z");
  CHECK(number("1700000000123456789") == "2023-11-14T22:13:20.123457Z");
  CHECK(number("1487249458.633") == "2017-02-16T12:50:58.633Z");
  CHECK(number("1.487249458633e9") == "2017-02-16T12:50:58.633Z");
  CHECK(number("1487249458633.25") == "2017-02-16T12:50:58.63325Z");
  CHECK(number("0") == "1970-01-01T00:00:00.000Z");
  CHECK(number("-1") == "1969-12-31T23:59:59.000Z");
  CHECK(number("-0.0000004") == "1970-01-01T00:00:00.000Z");
  CHECK(number("1e-400") == "1970-01-01T00:00:00.000Z");
  CHECK(number("-1700000000123") == "1916-02-18T01:46:39.877Z");
}

TEST_CASE("the sizes end where they are said to end, however many digits follow") {
  CHECK(number("99999999999") == "5138-11-16T09:46:39.000Z");
  CHECK(number("99999999999.99999999999999999999") == "5138-11-16T09:46:40.000Z");
  CHECK(number("100000000000") == "1973-03-03T09:46:40.000Z");
  CHECK(number("0.1e12") == "1973-03-03T09:46:40.000Z");
  CHECK(number("99999999999999") == "5138-11-16T09:46:39.999Z");
  CHECK(number("100000000000000") == "1973-03-03T09:46:40.000Z");
  CHECK(number("99999999999999999") == "5138-11-16T09:46:39.999999Z");
  CHECK(number("100000000000000000") == "1973-03-03T09:46:40.000Z");
  CHECK(read("\"  1487249458 \"") == "2017-02-16T12:50:58.000Z");
}

TEST_CASE("a form that is chosen takes nothing behind the year 9999") {
  CHECK(number("253402300799", kSeconds) == "9999-12-31T23:59:59.000Z");
  CHECK(number("253402300799999", kMillis) == "9999-12-31T23:59:59.999Z");
  CHECK(number("1700000000123456", kMicros) == "2023-11-14T22:13:20.123456Z");
  CHECK(number("1700000000123456789", kNanos) == "2023-11-14T22:13:20.123457Z");
  CHECK(number("-62135596800000000", kMicros) == "0001-01-01T00:00:00.000Z");
  const auto late = [](const std::string& form, const std::string& digits) {
    const std::string text = "expected timestamp" + form + ", found ", why = ": it lies behind the year 9999";
    return text + "number " + digits + why + " | " + text + "text \"" + digits + '"' + why;
  };
  CHECK(number("1487249458000", kSeconds) == late(" in epoch seconds", "1487249458000"));
  CHECK(number("253402300800", kSeconds) == late(" in epoch seconds", "253402300800"));
  CHECK(number("253402300799.9999999", kSeconds) == late(" in epoch seconds", "253402300799.9999999"));
  CHECK(number("1700000000123456", kMillis) == late(" in epoch milliseconds", "1700000000123456"));
  CHECK(number("1700000000123456789", kMicros) == late(" in epoch microseconds", "1700000000123456789"));
  CHECK(number("253402300800000000000", kNanos) == late(" in epoch nanoseconds", "253402300800000000000"));
  CHECK(number("253402300800000000000") == late("", "253402300800000000000"));
  CHECK(number("1e400") == late("", "1e400"));
  CHECK(number("1e400", kSeconds) == late(" in epoch seconds", "1e400"));
  CHECK(number("-1e400") == "expected timestamp, found number -1e400 | expected timestamp, found text \"-1e400\"");
  CHECK(read("\"2024-01-01\"", kSeconds) == "expected timestamp in epoch seconds, found text \"2024-01-01\"");
}

TEST_CASE("json reads points in time as casts do") {
  CHECK(read("\"2022-08-01 04:12:02,278\"") == "2022-08-01T04:12:02.278Z");
  CHECK(read("\"2016-12-31T23:59:60Z\"") == "2017-01-01T00:00:00.000Z");
  CHECK(read("\"2024-01-01T00:00:00 +05:30\"") == "2023-12-31T18:30:00.000Z");
  CHECK(read("\"2024-01-05 7:08:09\"") == "2024-01-05T07:08:09.000Z");
  CHECK(read("\"20240101T120000Z\"") == "2024-01-01T12:00:00.000Z");
  CHECK(read("\"2024-01-05t07:08:09z\"") == "2024-01-05T07:08:09.000Z");
  CHECK(read("\"2016-12-31T23:59:60.5Z\"", TimestampFormat::kIso) == "2017-01-01T00:00:00.500Z");
  CHECK(read("\"2022-08-01 04:12:02,278\"", TimestampFormat::kSql) == "2022-08-01T04:12:02.278Z");
}

TEST_CASE("a day that is not there is told as such") {
  const Schema schema = schema_of({{"d", "date"}});
  JsonDecoder decoder(schema, {});
  CHECK(decode(decoder, schema, {R"({"d":"2023-02-29"})", R"({"d":"2023-13-01"})", R"({"d":"29.2.2023"})"}).errors ==
        Texts{R"(0: field d: expected date, found text "2023-02-29": there is no such day)",
              R"(1: field d: expected date, found text "2023-13-01": there is no such day)",
              R"(2: field d: expected date as YYYY-MM-DD, found text "29.2.2023")"});
  CHECK(read("\"2023-02-29T00:00:00Z\"") == "expected timestamp, found text \"2023-02-29T00:00:00Z\": there is no such day");
  CHECK(read("\"2023-04-31 10:00\"") == "expected timestamp, found text \"2023-04-31 10:00\": there is no such day");
  CHECK(read("\"2023-02-28T25:00:00Z\"") ==
        "expected timestamp, found text \"2023-02-28T25:00:00Z\": there is no such time of day");
  CHECK(read("\"2023-02-29T00:00:00Z\"", TimestampFormat::kIso) ==
        "expected timestamp as in 2024-01-31T10:20:30Z, found text \"2023-02-29T00:00:00Z\": there is no such day");
  CHECK(read("\"2023-02-28\"", TimestampFormat::kIso) ==
        "expected timestamp as in 2024-01-31T10:20:30Z, found text \"2023-02-28\"");
}

TEST_CASE("points in time are written in each form and read back") {
  const Schema schema = schema_of({{"t", "timestamp"}});
  for (const TimestampFormat format :
       {TimestampFormat::kAuto, TimestampFormat::kIso, TimestampFormat::kSql, kSeconds, kMillis, kMicros, kNanos}) {
    ColumnBuilder b(Type::timestamp());
    const std::vector<std::int64_t> times{0, 1, -1, 1'700'000'000'123'456, -62'135'596'800'000'000, 253'402'300'799'999'999};
    for (const std::int64_t t : times) b.append_bigint(t);
    JsonEncoder encoder(schema, {0}, {.timestamp = format});
    Buffer out;
    std::vector<std::size_t> ends;
    encoder.encode(RecordBatch(std::make_shared<Schema>(schema), {b.finish()}, 6), out, ends);
    Texts records;
    for (std::size_t begin = 0; const std::size_t end : ends)
      records.emplace_back(out.as<char>() + begin, end - begin), begin = end;
    if (format == kMicros) CHECK(records[3] == R"({"t":1700000000123456})");
    if (format == kNanos)
      CHECK(records == Texts{R"({"t":0})", R"({"t":1000})", R"({"t":-1000})", R"({"t":1700000000123456000})",
                             R"({"t":-62135596800000000000})", R"({"t":253402300799999999000})"});
    JsonDecoder decoder(schema, {.timestamp = format});
    const test::Decoded d = decode(decoder, schema, records);
    REQUIRE(d.errors.empty());
    CHECK(std::vector<std::int64_t>(d.columns[0]->values<std::int64_t>(), d.columns[0]->values<std::int64_t>() + 6) ==
          times);
  }
}

TEST_CASE("whether a number is whole does not depend on how many digits it has") {
  const auto size = [](std::string_view number) {
    const NumberSize s = size_of_number(number);
    return fmt::format("{} {}", s.digits, s.whole ? "whole" : "broken");
  };
  CHECK(size("0") == "0 whole");
  CHECK(size("0.000e5") == "0 whole");
  CHECK(size("120") == "3 whole");
  CHECK(size("-120.50") == "3 broken");
  CHECK(size("5.000000000000000000000") == "1 whole");
  CHECK(size("4.9999999999999999999") == "1 broken");
  CHECK(size("1.25e2") == "3 whole");
  CHECK(size("1.255e2") == "3 broken");
  CHECK(size("1e-400") == "0 broken");
  CHECK(size("1e400") == "401 whole");
  CHECK(size("0.001e3") == "1 whole");
  CHECK(size("100e-2") == "1 whole");
  CHECK(size("1" + std::string(30, '0') + "e-31") == "0 broken");

  const Schema schema = schema_of({{"i", "int"}, {"b", "bigint"}});
  JsonDecoder decoder(schema, {});
  const auto whole = [&](const std::string& n) {
    const test::Decoded d = decode(decoder, schema, {"{\"b\":" + n + "}"}),
                        small = decode(decoder, schema, {"{\"i\":" + n + "}"});
    if (!d.errors.empty()) return d.errors[0].substr(d.errors[0].find(n) + n.size() + 1);
    return std::to_string(d.columns[0 + 1]->values<std::int64_t>()[0]) + (small.errors.empty() ? "" : " (no int)");
  };
  const std::string broken = "is not whole, so it does not fit bigint";
  for (const char* n : {"0.5", "1e-18", "1e-19", "1e-400", "1.9999999999999999999", "1.000000000000000000001", "-0.5",
                        "-1e-30", "9223372036854775806.9999999999999999999", "123456789012345678901.5"})
    CHECK(whole(n) == broken);
  CHECK(whole("5.000000000000000000000") == "5");
  CHECK(whole("1e3") == "1000");
  CHECK(whole("0e400") == "0");
  CHECK(whole("9223372036854775807.000000000000000000000000") == "9223372036854775807 (no int)");
  CHECK(whole("-9223372036854775808") == "-9223372036854775808 (no int)");
  CHECK(whole("9223372036854775808") == "does not fit bigint");
  CHECK(whole("1e400") == "does not fit bigint");
  CHECK(whole("1" + std::string(200'000, '0') + "e-200000").substr(0, 1) == "1");
}

}  // namespace weir
