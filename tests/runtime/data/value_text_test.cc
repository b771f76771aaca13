#include "runtime/data/value_text.h"
#include "runtime/data/json_text.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/runtime/data/samples.h"

namespace weir {

namespace {

template <typename Append>
std::string one(const Type& type, Append append) {
  ColumnBuilder b(type);
  append(b);
  return test::text_of(*b.finish(), 0);
}
std::string real(double v) {
  return one(Type::dbl(), [&](ColumnBuilder& b) { b.append_double(v); });
}
std::string interval(Interval v) {
  return one(Type::interval(), [&](ColumnBuilder& b) { b.append_interval(v); });
}
std::string timestamp(std::int64_t v) {
  return one(Type::timestamp(), [&](ColumnBuilder& b) { b.append_bigint(v); });
}
std::string decimal(int scale, Int128 v) {
  return one(Type::decimal(38, scale), [&](ColumnBuilder& b) { b.append_decimal(v); });
}

}  // namespace

TEST_CASE("values print as in PostgreSQL") {
  CHECK(one(Type::boolean(), [](ColumnBuilder& b) { b.append_boolean(true); }) == "t");
  CHECK(one(Type::integer(), [](ColumnBuilder& b) { b.append_int(std::numeric_limits<std::int32_t>::min()); }) ==
        "-2147483648");
  CHECK(one(Type::bigint(), [](ColumnBuilder& b) { b.append_null(); }) == "null");
  CHECK(one(Type::varchar(), [](ColumnBuilder& b) { b.append_text("a\"b"); }) == "a\"b");
  CHECK(one(Type::bytea(), [](ColumnBuilder& b) { b.append_text(std::string_view("\0\xff", 2)); }) == "\\x00ff");
  CHECK(one(Type::date(), [](ColumnBuilder& b) { b.append_int(19782); }) == "2024-02-29");
  CHECK(one(Type::date(), [](ColumnBuilder& b) { b.append_int(-719528); }) == "0001-01-01 BC");
  CHECK(timestamp(0) == "1970-01-01 00:00:00");
  CHECK(timestamp(-1) == "1969-12-31 23:59:59.999999");
  CHECK(timestamp(1'500'000) == "1970-01-01 00:00:01.5");
  CHECK(real(0.1) == "0.1");
  CHECK(real(120) == "120");
  CHECK(real(-0.0) == "-0");
  CHECK(real(1e15) == "1e+15");
  CHECK(real(1e-5) == "1e-05");
  CHECK(real(std::numeric_limits<double>::infinity()) == "Infinity");
  CHECK(real(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(decimal(2, 150) == "1.50");
  CHECK(decimal(2, -5) == "-0.05");
  CHECK(decimal(0, 0) == "0");
  CHECK(interval({14, -3, 14'706'700'000}) == "1 year 2 mons -3 days +04:05:06.7");
  CHECK(interval({0, 1, 0}) == "1 day");
  CHECK(interval({0, 0, -3'600'000'000}) == "-01:00:00");
  CHECK(interval({}) == "00:00:00");
}

TEST_CASE("nested values print their parts") {
  const Type type =
      Type::row({{"a", Type::bigint()}, {"xs", Type::array(Type::varchar())}, {"m", Type::map(Type::integer())}});
  ColumnBuilder b(type);
  b.child(0).append_bigint(1);
  b.child(1).child(0).append_text("x");
  b.child(1).child(0).append_null();
  b.child(1).end_list();
  b.child(2).child(0).append_text("k");
  b.child(2).child(1).append_int(2);
  b.child(2).end_list();
  b.end_row();
  CHECK(test::text_of(*b.finish(), 0) == "(1,{x,null},{k=2})");
}

TEST_CASE("years of more than four digits and before Christ are printed as PostgreSQL prints them, in JSON as ISO does") {
  const auto printed = [](std::int64_t days) {
    std::string sql, iso;
    append_date(sql, days);
    append_iso_date(iso, days);
    return sql + " " + iso;
  };
  CHECK(printed(0) == "1970-01-01 1970-01-01");
  CHECK(printed(2932897) == "10000-01-01 +10000-01-01");
  CHECK(printed(-719528) == "0001-01-01 BC 0000-01-01");
  CHECK(printed(-719529) == "0002-12-31 BC -0001-12-31");
  std::string sql;
  append_timestamp(sql, -719528LL * 86'400'000'000 + 1);
  CHECK(sql == "0001-01-01 00:00:00.000001 BC");
}

TEST_CASE("compact JSON has no white space between its tokens and is the same otherwise") {
  const auto compact = [](std::string_view json) {
    std::string out;
    append_compact_json(out, json);
    return out;
  };
  CHECK(compact("{\"a\":\n 1}") == "{\"a\":1}");
  CHECK(compact(" [ 1.50 , 1E2,\t\"a b\", \"\\\" \\\\\" , null ]\r\n") == "[1.50,1E2,\"a b\",\"\\\" \\\\\",null]");
  CHECK(compact("\" \"") == "\" \"");
  CHECK(compact("1") == "1");
}

}  // namespace weir
