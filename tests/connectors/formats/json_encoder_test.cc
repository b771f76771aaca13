#include "connectors/formats/json/json_encoder.h"

#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "connectors/formats/json/json_decoder.h"
#include "connectors/formats/json/json_scalar.h"
#include "tests/connectors/formats/decoding.h"

namespace weir {

namespace {

std::vector<int> all_of(const Schema& schema) {
  std::vector<int> columns;
  for (int i = 0; i < schema.size(); ++i) columns.push_back(i);
  return columns;
}

std::vector<std::string> encode(const Schema& schema, std::vector<ColumnPtr> columns, std::vector<int> chosen,
                                JsonOptions options = {}) {
  const std::int64_t rows = columns[0]->size();
  const RecordBatch batch(std::make_shared<Schema>(schema), std::move(columns), rows);
  JsonEncoder encoder(schema, std::move(chosen), options);
  Buffer out;
  std::vector<std::size_t> ends;
  encoder.encode(batch, out, ends);
  REQUIRE(ends.size() == static_cast<std::size_t>(rows));
  std::vector<std::string> records;
  std::size_t begin = 0;
  for (std::size_t end : ends) {
    records.emplace_back(out.as<char>() + begin, end - begin);
    begin = end;
  }
  REQUIRE(begin == out.size());
  return records;
}

/// What JSON records become when they are read into columns and written again.
std::vector<std::string> again(const std::vector<std::pair<std::string, std::string>>& columns,
                               const std::vector<std::string>& records, JsonOptions options = {}) {
  const Schema schema = test::schema_of(columns);
  JsonDecoder decoder(schema, {});
  test::Decoded d = test::decode(decoder, schema, records);
  REQUIRE(d.errors.empty());
  return encode(schema, d.columns, all_of(schema), options);
}
/// The same for one value.
std::string again(const std::string& type, const std::string& json, JsonOptions options = {}) {
  const std::string record = again({{"v", type}}, {"{\"v\":" + json + "}"}, options)[0];
  return record.substr(5, record.size() - 6);
}

std::string written(double v) {
  char bytes[64];
  return {bytes, JsonWriter::write_double(bytes, v)};
}

}  // namespace

TEST_CASE("rows are written compactly, in the order of the chosen columns") {
  ColumnBuilder id(Type::bigint()), name(Type::varchar());
  id.append_bigint(1), name.append_text("a");
  id.append_null(), name.append_null();
  const Schema schema = test::schema_of({{"id", "bigint"}, {"na\"me", "varchar"}});
  const std::vector<ColumnPtr> columns{id.finish(), name.finish()};
  CHECK(encode(schema, columns, {0, 1}) ==
        std::vector<std::string>{R"({"id":1,"na\"me":"a"})", R"({"id":null,"na\"me":null})"});
  CHECK(encode(schema, columns, {1}) == std::vector<std::string>{R"({"na\"me":"a"})", R"({"na\"me":null})"});
  CHECK(encode(schema, columns, {}) == std::vector<std::string>{"{}", "{}"});
}

TEST_CASE("values of every type are written as the reference says") {
  CHECK(again("boolean", "true") == "true");
  CHECK(again("int", "-2147483648") == "-2147483648");
  CHECK(again("bigint", "-9223372036854775808") == "-9223372036854775808");
  CHECK(again("decimal(10,4)", "12.5") == "12.5");
  CHECK(again("decimal(10,4)", "-12") == "-12");
  CHECK(again("decimal(10,4)", "-0.05") == "-0.05");
  CHECK(again("decimal(19,18)", "9.223372036854775807") == "9.223372036854775807");
  CHECK(again("decimal(20,19)", "-0.0000000000000000001") == "-0.0000000000000000001");
  CHECK(again("decimal(20,1)", "-922337203685477580.8") == "-922337203685477580.8");
  CHECK(again("decimal(38,0)", "18446744073709551616") == "18446744073709551616");
  CHECK(again("decimal(38,0)", "-99999999999999999999999999999999999999") == "-99999999999999999999999999999999999999");
  CHECK(again("decimal(38,38)", "-0.00000000000000000000000000000000000001") == "-0.00000000000000000000000000000000000001");
  CHECK(again("bytea", "\"AP8Q\"") == "\"AP8Q\"");
  CHECK(again("date", "\"2024-02-29\"") == "\"2024-02-29\"");
  CHECK(again("interval", "\"1 year 2 mons -3 days 04:05:06.7\"") == "\"1 year 2 mons -3 days +04:05:06.7\"");
  CHECK(again("json", R"({"a" : 1})") == R"({"a":1})");
  CHECK(again("row(a int, \"b c\" varchar)", R"({"b c":"x"})") == R"({"a":null,"b c":"x"})");
  CHECK(again("array(array(int))", "[[1,null],[],null]") == "[[1,null],[],null]");
  CHECK(again("map(varchar, double)", R"({"x":1.5,"y\n":null})") == R"({"x":1.5,"y\n":null})");
}

TEST_CASE("timestamps have at least milliseconds and as many digits as needed") {
  CHECK(again("timestamp", "\"2024-01-01T00:00:00Z\"") == "\"2024-01-01T00:00:00.000Z\"");
  CHECK(again("timestamp", "\"2024-01-01T00:00:00.1234Z\"") == "\"2024-01-01T00:00:00.1234Z\"");
  CHECK(again("timestamp", "\"2024-01-01T23:59:59.123456Z\"") == "\"2024-01-01T23:59:59.123456Z\"");
  CHECK(again("timestamp", "\"1969-12-31T23:59:59.999999Z\"") == "\"1969-12-31T23:59:59.999999Z\"");
  CHECK(again("timestamp", "\"+10000-01-01T00:00:00Z\"") == "\"+10000-01-01T00:00:00.000Z\"");
  CHECK(again("timestamp", "\"-0044-03-15T00:00:00Z\"") == "\"-0044-03-15T00:00:00.000Z\"");
  JsonOptions sql, millis, seconds;
  sql.timestamp = TimestampFormat::kSql, millis.timestamp = TimestampFormat::kEpochMillis,
  seconds.timestamp = TimestampFormat::kEpochSeconds;
  CHECK(again("timestamp", "\"2024-01-01T00:00:00.5Z\"", sql) == "\"2024-01-01 00:00:00.500\"");
  CHECK(again("timestamp", "\"2024-01-01T00:00:00.5Z\"", millis) == "1704067200500");
  CHECK(again("timestamp", "\"2024-01-01T00:00:00.0005Z\"", millis) == "1704067200000.5");
  CHECK(again("timestamp", "\"2024-01-01T00:00:00.5Z\"", seconds) == "1704067200.5");
  CHECK(again("timestamp", "\"1969-12-31T23:59:59.9985Z\"", millis) == "-1.5");
}

TEST_CASE("texts are escaped where JSON wants it, at every place of a word") {
  CHECK(again("varchar", R"("\u0000\u001f\b\f\n\r\t\"\\/é😀\u007f")") == "\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\/é😀\x7f\"");
  for (std::size_t size = 0; size < 40; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text.replace(at, 1, "\\\"");
      CHECK(again("varchar", "\"" + text + "\"") == "\"" + text + "\"");
    }
}

TEST_CASE("doubles are written as the shortest digits that read back as the same double") {
  CHECK(written(0) == "0");
  CHECK(written(-0.0) == "-0");
  CHECK(written(120) == "120");
  CHECK(written(108.96) == "108.96");
  CHECK(written(0.1) == "0.1");
  CHECK(written(0.1 + 0.2) == "0.30000000000000004");
  CHECK(written(100000) == "100000");
  CHECK(written(0.0001) == "0.0001");
  CHECK(written(0.00001) == "1e-05");
  CHECK(written(123456789012345) == "123456789012345");
  CHECK(written(1e15) == "1e+15");
  CHECK(written(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(std::nan("")) == "\"NaN\"");
  CHECK(written(-std::numeric_limits<double>::infinity()) == "\"-Infinity\"");
}

TEST_CASE("doubles survive being written and read, and no shorter text would do") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    double v = 0;
    switch (i % 4) {
      case 0:
        v = static_cast<double>(static_cast<std::int64_t>(random() % 2'000'000'000'000) - 1'000'000'000'000) / 100;
        break;
      case 1: v = static_cast<double>(random() % 100'000'000) * 0.908; break;
      case 2: v = static_cast<double>(random() % 1'000'000'000) / 1e4; break;
      default: {
        const std::uint64_t bits = random();
        std::memcpy(&v, &bits, 8);
        if (!std::isfinite(v)) continue;
      }
    }
    const std::string text = written(v);
    double back = 0;
    if (read_double((text + "\n          ").c_str(), back) != JsonNumber::kOk || std::memcmp(&back, &v, 8) != 0) FAIL(text);
    char shortest[64];
    const auto digits = [](std::string_view s) {
      s = s.substr(0, s.find('e'));
      std::string d;
      for (char c : s)
        if (c >= '0' && c <= '9') d += c;
      d.erase(0, d.find_first_not_of('0'));
      d.erase(d.find_last_not_of('0') + 1);
      return d;
    };
    const std::string_view plain(
        shortest,
        static_cast<std::size_t>(std::to_chars(shortest, shortest + 64, v, std::chars_format::scientific).ptr - shortest));
    if (digits(plain) != digits(text)) FAIL(text << " against " << plain);
  }
}

TEST_CASE("rows of very different length are written one behind the other") {
  std::vector<std::string> records;
  for (std::size_t n : {0u, 1u, 70'000u, 3u, 15u, 16u, 17u, 500'000u, 2u}) {
    records.push_back("{\"a\":\"" + std::string(n, 'x') + "\",\"xs\":[");
    for (std::size_t i = 0; i < n / 1000; ++i) records.back() += (i ? ",\"" : "\"") + std::string(i % 7, 'y') + "\"";
    records.back() += "]}";
  }
  CHECK(again({{"a", "varchar"}, {"xs", "array(varchar)"}}, records) == records);
}

TEST_CASE("a row of nulls is written within what is reserved for it") {
  std::vector<std::pair<std::string, std::string>> columns;
  std::string record;
  for (int i = 0; i < 200; ++i) {
    columns.emplace_back("c" + std::to_string(i), i % 2 ? "varchar" : "bytea");
    record += (i ? ",\"c" : "{\"c") + std::to_string(i) + "\":null";
  }
  const std::vector<std::string> records(3, record + "}");
  CHECK(again(columns, records) == records);
}

TEST_CASE("a json column is one line: white space between tokens goes, the rest stays as it is written") {
  ColumnBuilder json(Type::json());
  const std::vector<std::string> texts{"{\"a\":\n 1}", "[1.50,\t1E2]\r\n", "{\"a b\":\"c  \\\"d\\n\"}", " null ", "1"};
  for (const std::string& t : texts) json.append_text(t);
  json.append_null();
  const Schema schema = test::schema_of({{"v", "json"}});
  CHECK(encode(schema, {json.finish()}, {0}) == std::vector<std::string>{"{\"v\":{\"a\":1}}", "{\"v\":[1.50,1E2]}",
                                                                         "{\"v\":{\"a b\":\"c  \\\"d\\n\"}}", "{\"v\":null}",
                                                                         "{\"v\":1}", "{\"v\":null}"});
  std::string large = "[";
  for (int i = 0; i < 1000; ++i) large += (i ? ",\n  " : "") + std::to_string(i);
  const std::string compact = again("json", large + "\n]");
  CHECK(compact.find_first_of(" \n") == std::string::npos);
  CHECK(compact.size() == large.size() + 1 - 999 * 3);
  CHECK(again("array(json)", "[ {\"a\": 1} , [2, 3] ]") == "[{\"a\":1},[2,3]]");
}

TEST_CASE("dates of all years read back as they were written") {
  for (const char* date : {"\"0001-01-01\"", "\"0000-02-29\"", "\"-0043-03-15\"", "\"9999-12-31\"", "\"+10000-01-01\""}) {
    CHECK(again("date", date) == date);
  }
  CHECK(again("timestamp", "\"-0043-03-15T12:00:00Z\"") == "\"-0043-03-15T12:00:00.000Z\"");
}

}  // namespace weir
