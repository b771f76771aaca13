#include "connectors/formats/json_decoder.h"

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
  const Decoded d = read({{"id", "bigint"}, {"name", "varchar"}, {"price", "double"}},
                         {R"({"id":1,"name":"a","price":2.5})", R"({"price":-0.25,"x":{"y":[1,{"z":"}"}]},"name":"b","id":2})",
                          R"( { "name" : null , "other" : [ ] } )", R"({})"});
  CHECK(d.errors.empty());
  CHECK(d.rows == std::vector<std::string>{R"({"id":1,"name":"a","price":2.5})", R"({"id":2,"name":"b","price":-0.25})",
                                           R"({"id":null,"name":null,"price":null})", R"({"id":null,"name":null,"price":null})"});
}

TEST_CASE("a bad record leaves nothing behind and does not touch its neighbours") {
  const Columns columns{{"id", "bigint"}, {"tags", "array(varchar)"}, {"r", "row(a int, m map(varchar, int))"}};
  const Decoded d = read(columns, {R"({"id":1,"tags":["x"],"r":{"a":1,"m":{"k":1}}})", R"({"id":2,"tags":["y",{}],"r":{"a":1,"m":{"k":"no"}}})",
                                   R"({"id":3,"tags":["z"],"r":{"a":2,"m":{}}})", R"({"id":4,"tags":["z")", R"({"id":5})",
                                   "{\"id\":6,\"tags\":[\"\xff\"]}", R"({"id":7,"tags":[],"r":null})"});
  CHECK(d.rows == std::vector<std::string>{R"({"id":1,"tags":["x"],"r":{"a":1,"m":{"k":1}}})", R"({"id":3,"tags":["z"],"r":{"a":2,"m":{}}})",
                                           R"({"id":5,"tags":null,"r":null})", R"({"id":7,"tags":[],"r":null})"});
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

}  // namespace weir
