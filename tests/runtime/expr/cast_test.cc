#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

TEST_CASE("text becomes numbers by PostgreSQL's rules") {
  CHECK(value_of("' 12 '::int") == "12");
  CHECK(value_of("'+7'::int") == "7");
  CHECK(value_of("'-12'::bigint") == "-12");
  CHECK(value_of("' 1.5e3 '::double") == "1500");
  CHECK(value_of("'infinity'::double") == "Infinity");
  CHECK(value_of("'-Inf'::double") == "-Infinity");
  CHECK(value_of("'nan'::double") == "NaN");
  CHECK(value_of("'12.345'::decimal(5,2)") == "12.35");
  CHECK(value_of("'-12.345'::decimal(5,2)") == "-12.35");
  CHECK(value_of("'1e2'::decimal(5,2)") == "100.00");
  CHECK(value_of("'12.50'::numeric") == "12.50");
  CHECK(value_of("'tr'::boolean") == "t");
  CHECK(value_of("'OFF'::boolean") == "f");
  const BatchPtr t = table("s varchar", {{"12"}, {"1.5"}, {"abc"}, {""}, {"99999999999"}, {"null"}, {"o"}, {"1 2"}});
  CHECK(values_of("s::int", t) ==
        Texts{"12", "error: invalid input syntax for type int: \"1.5\"", "error: invalid input syntax for type int: \"abc\"",
              "error: invalid input syntax for type int: \"\"", "error: value out of range for type int: \"99999999999\"",
              "null", "error: invalid input syntax for type int: \"o\"",
              "error: invalid input syntax for type int: \"1 2\""});
  CHECK(values_of("s::double", t)[1] == "1.5");
  CHECK(values_of("s::decimal(4,1)", t)[4] == "error: value out of range for type decimal(4,1): \"99999999999\"");
  CHECK(values_of("s::boolean", t)[6] == "error: invalid input syntax for type boolean: \"o\"");
  CHECK(refusals("'1e400'::double") == Texts{"0: value out of range for type double: \"1e400\""});
}

TEST_CASE("numbers become other numbers with rounding and a check") {
  CHECK(value_of("2.5::double::int") == "2");
  CHECK(value_of("3.5::double::int") == "4");
  CHECK(value_of("2.5::int") == "3");
  CHECK(value_of("-2.5::int") == "-3");
  CHECK(value_of("1e10::double::int") == "error: integer out of range: 10000000000");
  CHECK(value_of("2147483647.4::double::int") == "2147483647");
  CHECK(value_of("9223372036854775807::double::bigint") == "error: bigint out of range: 9.223372036854776e+18");
  CHECK(value_of("'nan'::double::int") == "error: integer out of range: NaN");
  CHECK(value_of("3000000000::int") == "error: integer out of range: 3000000000");
  CHECK(value_of("0.1::double::decimal(20,18)") == "0.100000000000000000");
  CHECK(value_of("1.005::double::decimal(5,2)") == "1.01");
  CHECK(value_of("2.675::double::decimal(5,2)") == "2.68");
  CHECK(value_of("123456::decimal(5,2)") == "error: numeric field overflow: 123456 does not fit decimal(5,2)");
  CHECK(value_of("999.995::decimal(5,2)") == "error: numeric field overflow: 999.995 does not fit decimal(5,2)");
  CHECK(value_of("'infinity'::double::decimal(5,2)") == "error: numeric field overflow: Infinity does not fit decimal(5,2)");
  CHECK(value_of("0.908::double") == "0.908");
  CHECK(value_of("123456789012345678901234567890.12345::double") == "1.2345678901234568e+29");
  CHECK(value_of("true::int") == "1");
  CHECK(value_of("0::boolean") == "f");
  CHECK(value_of("1.50::numeric") == "1.50");
  CHECK(type_of("n::numeric", "n int") == "decimal(10,0)");
}

TEST_CASE("everything becomes text as PostgreSQL prints it") {
  CHECK(value_of("12::varchar") == "12");
  CHECK(value_of("100000::double::text") == "100000");
  CHECK(value_of("1e15::double::text") == "1e+15");
  CHECK(value_of("0.0001::double::text") == "0.0001");
  CHECK(value_of("0.00001::double::text") == "1e-05");
  CHECK(value_of("(-0e0)::double::text || ''") == "0");
  CHECK(value_of("1.50::text") == "1.50");
  CHECK(value_of("true::text") == "true");
  CHECK(value_of("date '2024-02-29'::text") == "2024-02-29");
  CHECK(value_of("timestamp '2024-02-29 12:34:56.789'::text") == "2024-02-29 12:34:56.789");
  CHECK(value_of("interval '1 day 2 hours'::text") == "1 day 02:00:00");
  CHECK(value_of("'\\x00ff'::bytea::text") == "\\x00ff");
  CHECK(value_of("'{\"a\": 1}'::json::text") == "{\"a\": 1}");
  CHECK(value_of("'hello'::varchar(3)") == "hel");
  CHECK(value_of("'ab'::varchar(3)") == "ab");
}

TEST_CASE("text becomes bytes, json, dates, times and intervals") {
  CHECK(value_of("'\\x0aFF'::bytea") == "\\x0aff");
  CHECK(value_of("'a\\\\b\\001'::bytea") == "\\x615c6201");
  CHECK(refusals("'\\x0'::bytea") == Texts{"0: invalid input syntax for type bytea: \"\\x0\""});
  CHECK(refusals("'{'::json") == Texts{"0: invalid input syntax for type json: \"{\""});
  CHECK(value_of("' 2024-02-29 '::date") == "2024-02-29");
  CHECK(value_of("'2024-02-29 23:59'::date") == "2024-02-29");
  CHECK(refusals("'2023-02-29'::date") == Texts{"0: date/time field value out of range: \"2023-02-29\""});
  CHECK(value_of("timestamp '2024-02-29T12:34:56.789123456Z'") == "2024-02-29 12:34:56.789123");
  CHECK(value_of("timestamp '2024-01-01 23:59:59.9999999'") == "2024-01-02 00:00:00");
  CHECK(value_of("date '2024-01-01 23:59:59.9999999'") == "2024-01-01");
  CHECK(value_of("timestamp '2024-01-01 00:00:00.0000005'") == "2024-01-01 00:00:00");
  CHECK(value_of("timestamp '2024-01-01 00:00:00.0000015'") == "2024-01-01 00:00:00.000002");
  CHECK(value_of("timestamp '2024-01-01 00:00:00.1234567'") == "2024-01-01 00:00:00.123457");
  CHECK(value_of("timestamp '2024-01-01 23:59:60.5'") == "2024-01-02 00:00:00.5");
  CHECK(refusals("timestamp '2024-01-01 24:00:00.000001'")[0].find("out of range") != std::string::npos);
  CHECK(value_of("timestamp '2024-02-29 12:34'") == "2024-02-29 12:34:00");
  CHECK(value_of("timestamp '2024-02-29'") == "2024-02-29 00:00:00");
  CHECK(value_of("timestamp '2024-02-29T00:30:00+01:00'") == "2024-02-28 23:30:00");
  CHECK(value_of("timestamp '2024-02-29 00:30:00-0130'") == "2024-02-29 02:00:00");
  CHECK(value_of("timestamp '2024-12-31 24:00:00'") == "2025-01-01 00:00:00");
  CHECK(value_of("timestamp '1969-12-31 23:59:59.999'") == "1969-12-31 23:59:59.999");
  CHECK(value_of("timestamp '0001-01-01'") == "0001-01-01 00:00:00");
  CHECK(value_of("timestamp '+12024-01-01'") == "12024-01-01 00:00:00");
  CHECK(refusals("timestamp '2024-02-29 25:00'")[0].find("out of range") != std::string::npos);
  CHECK(refusals("timestamp '2024-02-29 12'")[0].find("invalid input syntax") != std::string::npos);
  CHECK(refusals("timestamp '2024-02-29 12:00 CET'")[0].find("invalid input syntax") != std::string::npos);
  CHECK(value_of("timestamp(0) '2024-02-29 12:34:56.5'") == "2024-02-29 12:34:57");
  CHECK(value_of("timestamp '2024-02-29 12:34:56.789'::timestamp(1)") == "2024-02-29 12:34:56.8");
  CHECK(value_of("timestamp '2024-02-29 12:34'::date") == "2024-02-29");
  CHECK(value_of("timestamp '1969-12-31 23:59'::date") == "1969-12-31");
  CHECK(value_of("date '2024-02-29'::timestamp") == "2024-02-29 00:00:00");
}

TEST_CASE("intervals are read in all their forms") {
  CHECK(value_of("interval '1 day 2 hours'") == "1 day 02:00:00");
  CHECK(value_of("interval '1.5 days'") == "1 day 12:00:00");
  CHECK(value_of("interval '1.5 months'") == "1 mon 15 days");
  CHECK(value_of("interval '-3 days 04:05:06.7'") == "-3 days +04:05:06.7");
  CHECK(value_of("interval '1-2'") == "1 year 2 mons");
  CHECK(value_of("interval '04:05'") == "04:05:00");
  CHECK(value_of("interval '-04:05:06'") == "-04:05:06");
  CHECK(value_of("interval '1 day ago'") == "-1 days");
  CHECK(value_of("interval '2 weeks'") == "14 days");
  CHECK(value_of("interval 'P1Y2M3DT4H5M6.7S'") == "1 year 2 mons 3 days 04:05:06.7");
  CHECK(value_of("interval 'PT0.5S'") == "00:00:00.5");
  CHECK(value_of("interval '90'") == "00:01:30");
  CHECK(value_of("interval '250ms'") == "00:00:00.25");
  CHECK(value_of("interval '0'") == "00:00:00");
  CHECK(refusals("interval 'soon'")[0].find("invalid input syntax for type interval") != std::string::npos);
  CHECK(refusals("interval '1 fortnight'")[0].find("invalid input syntax for type interval") != std::string::npos);
  CHECK(refusals("interval '99999999999 days'")[0].find("out of range") != std::string::npos);
}

TEST_CASE("append_parsed reads what a column takes and leaves it alone otherwise") {
  ColumnBuilder b(Type::integer());
  CHECK(append_parsed(b, "12") == std::nullopt);
  CHECK(append_parsed(b, "x") == "invalid input syntax for type int: \"x\"");
  CHECK(b.size() == 1);
  ColumnBuilder a(Type::array(Type::integer()));
  CHECK(append_parsed(a, "{1}") == "reading array(int) from text is not supported yet");
  CHECK(parse_failure(ParseStatus::kSyntax, Type::integer(), std::string(200, 'x')).size() < 160);
}
