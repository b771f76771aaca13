#include "connectors/formats/json/json_decoder.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/connectors/formats/decoding.h"

namespace weir {

using test::decode;
using test::Decoded;
using test::schema_of;

namespace {

using Columns = std::vector<std::pair<std::string, std::string>>;

Decoded read(const Columns& columns, const std::vector<std::string>& records, JsonOptions options = {}) {
  const Schema schema = schema_of(columns);
  JsonDecoder decoder(schema, options);
  return decode(decoder, schema, records);
}
/// The value of the only column, or the reason why there is none.
std::string value(const std::string& type, const std::string& json, JsonOptions options = {}) {
  const Decoded d = read({{"v", type}}, {"{\"v\":" + json + "}"}, options);
  if (!d.errors.empty()) return "error " + d.errors[0].substr(3);
  return d.rows[0].substr(5, d.rows[0].size() - 6);
}

}  // namespace

TEST_CASE("members become columns whatever their order; unknown ones are skipped and missing ones are null") {
  const Decoded d =
      read({{"id", "bigint"}, {"name", "varchar"}, {"price", "double"}},
           {R"({"id":1,"name":"a","price":2.5})", R"({"price":-0.25,"x":{"y":[1,{"z":"}"}]},"name":"b","id":2})",
            R"( { "name" : null , "other" : [ ] } )", R"({})"});
  CHECK(d.errors.empty());
  CHECK(d.rows == std::vector<std::string>{R"({"id":1,"name":"a","price":2.5})", R"({"id":2,"name":"b","price":-0.25})",
                                           R"({"id":null,"name":null,"price":null})",
                                           R"({"id":null,"name":null,"price":null})"});
}

TEST_CASE("a bad record leaves nothing behind and does not touch its neighbours") {
  const Columns columns{{"id", "bigint"}, {"tags", "array(varchar)"}, {"r", "row(a int, m map(varchar, int))"}};
  const Decoded d = read(
      columns, {R"({"id":1,"tags":["x"],"r":{"a":1,"m":{"k":1}}})", R"({"id":2,"tags":["y",{}],"r":{"a":1,"m":{"k":"no"}}})",
                R"({"id":3,"tags":["z"],"r":{"a":2,"m":{}}})", R"({"id":4,"tags":["z")", R"({"id":5})",
                "{\"id\":6,\"tags\":[\"\xff\"]}", R"({"id":7,"tags":[],"r":null})"});
  CHECK(d.rows == std::vector<std::string>{R"({"id":1,"tags":["x"],"r":{"a":1,"m":{"k":1}}})",
                                           R"({"id":3,"tags":["z"],"r":{"a":2,"m":{}}})", R"({"id":5,"tags":null,"r":null})",
                                           R"({"id":7,"tags":[],"r":null})"});
  CHECK(d.errors == std::vector<std::string>{R"(1: field r.m.k: expected int, found text "no")",
                                             "3: field tags: truncated: the object has no end, after 19 bytes",
                                             "5: invalid UTF-8 at byte 17: 0xff"});
}

TEST_CASE("whole numbers are exact up to their type's edge") {
  CHECK(value("bigint", "9223372036854775807") == "9223372036854775807");
  CHECK(value("bigint", "-9223372036854775808") == "-9223372036854775808");
  CHECK(value("bigint", "9223372036854775808") == "error field v: number 9223372036854775808 does not fit bigint");
  CHECK(value("bigint", "\"9007199254740993\"") == "9007199254740993");
  CHECK(value("bigint", "1e3") == "1000");
  CHECK(value("bigint", "7.0") == "7");
  CHECK(value("bigint", "1.5") == "error field v: number 1.5 is not whole, so it does not fit bigint");
  CHECK(value("int", "2147483647") == "2147483647");
  CHECK(value("int", "2147483648") == "error field v: number 2147483648 does not fit int");
  CHECK(value("int", "007") == "error field v: not JSON: expected int, found `007` at byte 5");
  CHECK(value("int", "\"abc\"") == "error field v: expected int, found text \"abc\"");
  CHECK(value("int", "true") == "error field v: expected int, found true");
  CHECK(value("int", "[1]") == "error field v: expected int, found an array");
}

TEST_CASE("doubles read as the nearest one; what is too large is an error") {
  CHECK(value("double", "0.1") == "0.1");
  CHECK(value("double", "-0.0") == "-0");
  CHECK(value("double", "12345678901234567890") == "1.2345678901234567e+19");
  CHECK(value("double", "9007199254740993") == "9.007199254740992e+15");
  CHECK(value("double", "1e400") == "error field v: number 1e400 does not fit double");
  CHECK(value("double", "-1e400") == "error field v: number -1e400 does not fit double");
  CHECK(value("double", "1e-400") == "0");
  CHECK(value("double", "\"NaN\"") == "\"NaN\"");
  CHECK(value("double", "\"-Infinity\"") == "\"-Infinity\"");
  CHECK(value("double", "\" 2.5 \"") == "2.5");
  CHECK(value("double", "\"0x10\"") == "error field v: expected double, found text \"0x10\"");
  CHECK(value("double", "\"inf\"") == "error field v: expected double, found text \"inf\"");
  CHECK(value("double", "NaN") == "error field v: not JSON: expected double, found `NaN` at byte 5");
  CHECK(value("double", "1.") == "error field v: not JSON: expected double, found `1.` at byte 5");
  CHECK(value("double", ".5") == "error field v: not JSON: expected double, found `.5` at byte 5");
  CHECK(value("double", "true") == "error field v: expected double, found true");
}

TEST_CASE("decimals keep every digit and round to their scale") {
  CHECK(value("decimal(38,2)", "123456789012345678901234567890123456.78") == "123456789012345678901234567890123456.78");
  CHECK(value("decimal(10,2)", "1.005") == "1.01");
  CHECK(value("decimal(10,2)", "-1.005") == "-1.01");
  CHECK(value("decimal(10,2)", "\"4.25\"") == "4.25");
  CHECK(value("decimal(10,2)", "1e2") == "100");
  CHECK(value("decimal(4,2)", "99.995") == "error field v: number 99.995 does not fit decimal(4,2)");
  CHECK(value("decimal(4,2)", "1e999999999999") == "error field v: number 1e999999999999 does not fit decimal(4,2)");
  CHECK(value("decimal(4,2)", "false") == "error field v: expected decimal(4,2), found false");
}

TEST_CASE("varchar takes text, and of other values what is written") {
  CHECK(value("varchar", R"("a\u00e9\ud83d\ude00\n\"\\\/")") == R"("aé😀\n\"\\/")");
  CHECK(value("varchar", "1.50") == "\"1.50\"");
  CHECK(value("varchar", "true") == "\"true\"");
  CHECK(value("varchar", R"([1, {"a" : "b c"} ])") == R"("[1,{\"a\":\"b c\"}]")");
  CHECK(value("varchar", R"("\ud83d")") == "error field v: half a surrogate pair is no character at byte 6");
  CHECK(value("varchar", R"("\x")") == "error field v: unknown escape at byte 6");
  CHECK(value("varchar", R"("\u12g4")") == "error field v: \\u needs four hexadecimal digits at byte 6");
  CHECK(value("varchar", "\"\"") == "\"\"");
  CHECK(value("varchar", "null") == "null");
  CHECK(value("varchar", "[1,]") == "error field v: not JSON: expected a value, found `]` at byte 8");
}

TEST_CASE("booleans are true and false, as words or as text") {
  CHECK(value("boolean", "true") == "true");
  CHECK(value("boolean", "\"FALSE\"") == "false");
  CHECK(value("boolean", "1") == "error field v: expected boolean, found number 1");
  CHECK(value("boolean", "\"yes\"") == "error field v: expected boolean, found text \"yes\"");
  CHECK(value("boolean", "tru") == "error field v: not JSON: expected boolean, found `tru` at byte 5");
  CHECK(value("boolean", "nul") == "error field v: not JSON: expected a value, found `nul` at byte 5");
}

TEST_CASE("bytea is base64") {
  CHECK(value("bytea", "\"AP8Q\"") == "\"AP8Q\"");
  CHECK(value("bytea", "\"\"") == "\"\"");
  CHECK(value("bytea", "\"AP8\"") == "error field v: expected bytea as base64 text, found text \"AP8\"");
  CHECK(value("bytea", "5") == "error field v: expected bytea as base64 text, found number 5");
}

TEST_CASE("dates and intervals are text") {
  CHECK(value("date", "\"2024-02-29\"") == "\"2024-02-29\"");
  CHECK(value("date", "\"2023-02-29\"") == "error field v: expected date, found text \"2023-02-29\": there is no such day");
  CHECK(value("date", "19782") == "error field v: expected date, found number 19782");
  CHECK(value("interval", "\"1 day 02:00:00\"") == "\"1 day 02:00:00\"");
  CHECK(value("interval", "\"soon\"") == "error field v: expected interval as text, found text \"soon\"");
}

TEST_CASE("a timestamp is any of its forms, unless one is asked for") {
  JsonOptions iso, sql, millis, seconds;
  iso.timestamp = TimestampFormat::kIso, sql.timestamp = TimestampFormat::kSql;
  millis.timestamp = TimestampFormat::kEpochMillis, seconds.timestamp = TimestampFormat::kEpochSeconds;
  const std::string wanted = "\"2024-02-29T12:34:56.500Z\"";
  for (const char* form : {"\"2024-02-29T12:34:56.5Z\"", "\"2024-02-29T12:34:56.5\"", "\"2024-02-29T14:34:56.5+02:00\"",
                           "\"2024-02-29 12:34:56.500\"", "1709210096500", "1709210096.5", "1.7092100965e12"})
    CHECK(value("timestamp", form) == wanted);
  CHECK(value("timestamp", "0") == "\"1970-01-01T00:00:00.000Z\"");
  CHECK(value("timestamp", "61000") == "\"1970-01-01T16:56:40.000Z\"");
  CHECK(value("timestamp", "-1.5") == "\"1969-12-31T23:59:58.500Z\"");
  CHECK(value("timestamp", "1709210096") == "\"2024-02-29T12:34:56.000Z\"");
  CHECK(value("timestamp", "\"2024-02-29T12:34:56.5Z\"", iso) == wanted);
  CHECK(value("timestamp", "\"2024-02-29 12:34:56.5\"", sql) == wanted);
  CHECK(value("timestamp", "1709210096500", millis) == wanted);
  CHECK(value("timestamp", "1709210096", millis) == "\"1970-01-20T18:46:50.096Z\"");
  CHECK(value("timestamp", "\"1709210096.5\"", seconds) == wanted);
  CHECK(value("timestamp", "1709210096500", iso) ==
        "error field v: expected timestamp as in 2024-01-31T10:20:30Z, found number 1709210096500");
  CHECK(value("timestamp", "\"2024-02-29T12:34:56Z\"", sql) ==
        "error field v: expected timestamp as in 2024-01-31 10:20:30, found text \"2024-02-29T12:34:56Z\"");
  CHECK(value("timestamp", "\"2024-02-29\"", iso) ==
        "error field v: expected timestamp as in 2024-01-31T10:20:30Z, found text \"2024-02-29\"");
  CHECK(value("timestamp", "\"x\"", millis) == "error field v: expected timestamp in epoch milliseconds, found text \"x\"");
  CHECK(value("timestamp", "1e30") == "error field v: expected timestamp, found number 1e30: it lies behind the year 9999");
  CHECK(value("timestamp", "\"2023-02-29 00:00:00\"") ==
        "error field v: expected timestamp, found text \"2023-02-29 00:00:00\": there is no such day");
}

TEST_CASE("rows, arrays and maps are read at any depth") {
  const std::string type =
      "row(n varchar, rs array(row(k varchar, v bigint)), m map(varchar, array(int)), xx array(array(int)))";
  CHECK(value(type, R"({"n":"x","rs":[{"k":"p","v":1},null,{}],"m":{"a":[1,null],"":[]},"xx":[[1],[],null]})") ==
        R"({"n":"x","rs":[{"k":"p","v":1},null,{"k":null,"v":null}],"m":{"a":[1,null],"":[]},"xx":[[1],[],null]})");
  CHECK(value(type, "null") == "null");
  CHECK(value(type, R"({"rs":[{"v":1},{"v":"x"}]})") == "error field v.rs[1].v: expected bigint, found text \"x\"");
  CHECK(value(type, R"({"m":{"a":[1,[2]]}})") == "error field v.m.a[1]: expected int, found an array");
  CHECK(value(type, R"({"xx":{}})") == "error field v.xx: expected array(array(int)), found an object");
  CHECK(value("map(varchar, int)", R"({"a":1,"b":2,"a":3})") == R"({"b":2,"a":3})");
  CHECK(value("map(varchar, int)", R"({"a":1,"\u0061":3})") == R"({"a":3})");
  CHECK(value("map(varchar, map(varchar, int))", R"({"a":{"x":1,"x":2},"b":{"y":3}})") == R"({"a":{"x":2},"b":{"y":3}})");
  CHECK(value("map(varchar, int)", "[1]") == "error field v: expected map(varchar, int), found an array");
}

TEST_CASE("json is kept as it came, once it is known to be JSON") {
  CHECK(value("json", R"( {"a" : [1, 2.50],  "b":"\u00e9"} )") == R"({"a":[1,2.50],"b":"\u00e9"})");
  CHECK(value("json", " 1.50 ") == "1.50");
  CHECK(value("json", "\"x\"") == "\"x\"");
  CHECK(value("json", "null") == "null");
  CHECK(value("json", "{\"a\" 1}") == "error field v: not JSON: expected `:`, found number 1 at byte 10");
  CHECK(value("json", "[1 2]") == "error field v: not JSON: expected `,` or `]`, found number 2 at byte 8");
  CHECK(value("json", "[01]") == "error field v: not JSON: expected a number, found `01` at byte 6");
}

TEST_CASE("a source without a schema takes the whole object") {
  JsonOptions options;
  options.whole_document = true;
  const Decoded d =
      read({{"value", "json"}}, {" {\"a\": 1}\n", "[1]", "{\"a\":1} x", "{\"a\":", "null", "", "\xef\xbb\xbf{}"}, options);
  CHECK(d.rows == std::vector<std::string>{R"({"value":{"a":1}})", R"({"value":{}})"});
  CHECK(d.errors == std::vector<std::string>{"1: expected an object, found an array", "2: `x` behind the object at byte 8",
                                             "3: truncated: the object has no end, after 5 bytes",
                                             "4: expected an object, found null", "5: an empty record, expected an object"});
}

TEST_CASE("null and missing values of a column declared not null are errors") {
  const Decoded d = read(
      {{"id", "bigint not null"}, {"r", "row(a int not null)"}, {"xs", "array(int not null)"}},
      {R"({"id":1,"r":{"a":1},"xs":[1]})", R"({"id":null})", R"({})", R"({"id":1,"r":{}})", R"({"id":1,"xs":[1,null]})"});
  CHECK(d.rows.size() == 1);
  CHECK(d.errors == std::vector<std::string>{
                        "1: field id: null, and declared not null", "2: field id: missing, and declared not null",
                        "3: field r.a: missing, and declared not null", "4: field xs[1]: null, and declared not null"});
}

TEST_CASE("options make missing and unknown members errors") {
  JsonOptions options;
  options.missing_fails = true;
  options.ignore_unknown = false;
  const Decoded d = read({{"a", "int"}, {"r", "row(b int)"}},
                         {R"({"a":null,"r":{"b":1}})", R"({"a":1})", R"({"a":1,"r":{}})", R"({"a":1,"x":2,"r":null})",
                          R"({"a":1,"r":{"b":1,"y":2}})"},
                         options);
  CHECK(d.rows == std::vector<std::string>{R"({"a":null,"r":{"b":1}})"});
  CHECK(d.errors == std::vector<std::string>{"1: field r: missing", "2: field r.b: missing",
                                             "3: unknown member \"x\" (`ignore_unknown` is false)",
                                             "4: field r: unknown member \"y\" (`ignore_unknown` is false)"});
}

TEST_CASE("names are compared exactly, with their escapes resolved; of several the last counts") {
  const std::string long_name(100, 'n');
  const Columns columns{
      {"a", "int"}, {"a name that is longer than sixteen bytes", "int"}, {"é\"q\\", "int"}, {long_name, "int"}};
  const Decoded d =
      read(columns, {R"({"a":1,"A":2,"a ":3})",
                     R"({"a name that is longer than sixteen bytes":1,"a name that is longer than sixteen bytez":2})",
                     R"({"\u00e9\"q\\":1})", R"({"\u0061":1})", R"({"a":1,"a":null})", R"({"a":null,"a":2})",
                     "{\"" + long_name + "\":1,\"x" + long_name + "\":2}", R"({"a":"x","a":2})"});
  const auto row = [&](const char* a, const char* b, const char* c, const char* e) {
    return std::string("{\"a\":") + a + ",\"a name that is longer than sixteen bytes\":" + b + ",\"é\\\"q\\\\\":" + c +
           ",\"" + long_name + "\":" + e + "}";
  };
  CHECK(d.rows == std::vector<std::string>{row("1", "null", "null", "null"), row("null", "1", "null", "null"),
                                           row("null", "null", "1", "null"), row("1", "null", "null", "null"),
                                           row("null", "null", "null", "null"), row("2", "null", "null", "null"),
                                           row("null", "null", "null", "1")});
  CHECK(d.errors == std::vector<std::string>{"7: field a: expected int, found text \"x\""});
}

TEST_CASE("members that change places from record to record are found all the same") {
  const Columns columns{{"a", "int"}, {"b", "int"}, {"c", "int"}};
  std::vector<std::string> records;
  std::vector<int> order{0, 1, 2, 3};
  do {
    std::string r = "{";
    for (int i : order) r += std::string(r.size() > 1 ? "," : "") + "\"" + "abcx"[i] + "\":" + std::to_string(i);
    records.push_back(r + "}");
  } while (std::next_permutation(order.begin(), order.end()));
  const Decoded d = read(columns, records);
  CHECK(d.errors.empty());
  for (const std::string& row : d.rows) CHECK(row == R"({"a":0,"b":1,"c":2})");
}

TEST_CASE("what is skipped must be JSON too") {
  const auto error = [](const std::string& json) {
    const Decoded d = read({{"v", "int"}}, {json});
    return d.errors.empty() ? d.rows[0] : d.errors[0].substr(3);
  };
  CHECK(error(R"({"x":[1,2,{"y":[]}],"v":1})") == R"({"v":1})");
  CHECK(error(R"({"x":nope,"v":1})") == "not JSON: expected a value, found `nope` at byte 5");
  CHECK(error(R"({"x":[1,2,"v":1})") == "not JSON: expected `,` or `]`, found `:` at byte 13");
  CHECK(error(R"({"x":"\q","v":1})") == "unknown escape at byte 6");
  CHECK(error(R"({"x":{"y":1]},"v":1})") == "not JSON: expected `,` or `}`, found `]` at byte 11");
  CHECK(error(R"({"x":{"y":1,},"v":1})") == "not JSON: expected the name of a member, found `}` at byte 12");
  CHECK(error(R"({"v":1,})") == "not JSON: expected the name of a member, found `}` at byte 7");
  CHECK(error(R"({"v":1 "x":2})") == "not JSON: expected `,` or `}`, found text \"x\" at byte 7");
  CHECK(error(R"({v:1})") == "not JSON: expected the name of a member, found `v` at byte 1");
  CHECK(error(R"({"v":1}/*c*/)") == "`/*c*/` behind the object at byte 7");
  CHECK(error("{\"v\":1,\"x\":" + std::string(1001, '[') + std::string(1001, ']') + "}") ==
        "nested deeper than 1000 at byte 1011");
  CHECK(error("{\"v\":1,\"x\":" + std::string(1000, '[') + std::string(1000, ']') + "}") == R"({"v":1})");
}

TEST_CASE("broken bytes are told apart") {
  const auto error = [](const std::string& json) { return read({{"v", "varchar"}}, {json}).errors.at(0); };
  CHECK(error("{\"v\":\"\xc3\"}") == "0: invalid UTF-8 at byte 6: 0xc3");
  CHECK(error("{\"v\":\"a\nb\"}") ==
        "0: not JSON: a control character in a text must be written \\u000a, found it bare at byte 7");
  CHECK(error("{\"v\":\"abc") == "0: truncated: the text that begins at byte 5 has no end");
  CHECK(error("{\"v\":\"abc\\\"}") == "0: truncated: the text that begins at byte 5 has no end");
  CHECK(error("   ") == "0: an empty record, expected an object");
  CHECK(error("not json") == "0: not JSON: expected an object, found `not` at byte 0");
  std::string long_word = "a";
  for (int i = 0; i < 40; ++i) long_word += "é";
  CHECK(error(long_word) == "0: not JSON: expected an object, found `" + long_word.substr(0, 59) + "…` at byte 0");
}

TEST_CASE("a record above the limit is an error, its neighbours are not") {
  JsonOptions options;
  options.longest = 20;
  const Decoded d = read({{"v", "varchar"}}, {R"({"v":"a"})", R"({"v":"aaaaaaaaaaaaaaaaaaaa"})", R"({"v":"b"})"}, options);
  CHECK(d.rows == std::vector<std::string>{R"({"v":"a"})", R"({"v":"b"})"});
  CHECK(d.errors == std::vector<std::string>{"1: a record of 28 bytes is longer than the limit of 20"});
}

TEST_CASE("results do not depend on how many records are looked at in one go") {
  std::vector<std::string> records;
  for (int i = 0; i < 500; ++i) {
    std::string r = R"({"id":)" + std::to_string(i) + R"(,"s":")" + std::string(static_cast<std::size_t>(i % 90), 'x') +
                    R"(","x":[1,{"y":"z"}]})";
    if (i % 50 == 7) r.resize(r.size() / 2);
    if (i % 50 == 9) r[8] = '\xff';
    records.push_back(r);
  }
  const Columns columns{{"id", "bigint"}, {"s", "varchar"}};
  JsonOptions one, few;
  one.chunk = 1, few.chunk = 300;
  const Decoded all = read(columns, records), single = read(columns, records, one), some = read(columns, records, few);
  CHECK(all.rows.size() == 480);
  CHECK(single.rows == all.rows);
  CHECK(some.rows == all.rows);
  CHECK(single.errors == all.errors);
  CHECK(some.errors == all.errors);
}

}  // namespace weir
