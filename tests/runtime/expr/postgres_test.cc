#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

// What PostgreSQL 15 takes, and what it gives.

TEST_CASE("dates and times are read in all the forms of numbers") {
  const auto read = [](const std::string& text) { return value_of("timestamp '" + text + "'"); };
  CHECK(read("2024-1-5") == "2024-01-05 00:00:00");
  CHECK(read("20240101") == "2024-01-01 00:00:00");
  CHECK(read("2024-01-01 1:02") == "2024-01-01 01:02:00");
  CHECK(read("2024/1/5 1:2:3") == "2024-01-05 01:02:03");
  CHECK(read("20240101T010203") == "2024-01-01 01:02:03");
  CHECK(read("20240101 010203.5") == "2024-01-01 01:02:03.5");
  CHECK(read("144-03-15") == "0144-03-15 00:00:00");
  CHECK(value_of("date '2024-1-5'") == "2024-01-05");
  for (const char* text :
       {"2024-01-01 01", "2024-1", "44-03-15", "2024-1/5", "2024-001-05", "2024-01-011", "202401011", "2024-01-01 1:2:"})
    CHECK(refusals("timestamp '" + std::string(text) + "'").size() == 1);
}

TEST_CASE("years of more than four digits and before Christ are printed as PostgreSQL prints them, and read back") {
  CHECK(value_of("timestamp '10000-01-01'") == "10000-01-01 00:00:00");
  CHECK(value_of("timestamp '+10000-01-01'") == "10000-01-01 00:00:00");
  CHECK(value_of("timestamp '0044-03-15 12:00 BC'") == "0044-03-15 12:00:00 BC");
  CHECK(value_of("date '0001-01-01' - 1") == "0001-12-31 BC");
  CHECK(value_of("(date '0044-03-15 BC')::varchar::date") == "0044-03-15 BC");
  CHECK(value_of("(timestamp '294000-01-01')::varchar::timestamp") == "294000-01-01 00:00:00");
  for (const char* type : {"date", "timestamp"}) {
    for (const char* text : {"0000-01-01", "00000101", "0000-01-01 BC"})
      CHECK(refusals(fmt::format("'{}'::{}", text, type)) ==
            Texts{fmt::format("0: date/time field value out of range: \"{}\"", text)});
    for (const char* text : {"-0001-01-01", "-0043-03-15"})
      CHECK(refusals(fmt::format("'{}'::{}", text, type)) ==
            Texts{fmt::format("0: invalid input syntax for type {}: \"{}\"", type, text)});
  }
}

TEST_CASE("integers of more than 38 digits are refused, other numbers of more digits are doubles") {
  CHECK(type_of(std::string(38, '9')) == "decimal(38,0)");
  const std::string refused = " has more than the 38 digits of decimal(38) (write it as a double: 1e39, or as text)";
  const std::string long_one(39, '9');
  CHECK(refusals(long_one) == Texts{"0: the integer " + long_one + refused});
  CHECK(refusals("price > " + long_one) == Texts{"8: the integer " + long_one + refused});
  CHECK(type_of("00" + std::string(38, '9')) == "decimal(38,0)");
  CHECK(type_of("1e39") == "double");
  CHECK(type_of("0." + std::string(39, '1')) == "double");
}

TEST_CASE("a lone escape character at the end of a pattern is an error only where matching comes to it") {
  const BatchPtr t = table("x varchar", {{"abc"}, {"xbc"}, {"x"}, {""}, {"null"}});
  const std::string failure = "error: LIKE pattern must not end with escape character: \"x\\\"";
  CHECK(values_of("x like 'x\\'", t) == Texts{"f", failure, "f", "f", "null"});
  CHECK(values_of("x not like 'x\\'", t) == Texts{"t", failure, "t", "t", "null"});
  CHECK(values_of("x ilike 'X\\'", t)[1].starts_with("error: LIKE pattern must not end"));
  CHECK(values_of("x like x || '\\'", t) == Texts{"f", "f", "f", "f", "null"});
  CHECK(values_of("x like '%\\'", t)[0].starts_with("error"));
  CHECK(values_of("x like '_!' escape '!'", t)[2] == "f");
  CHECK(values_of("x like '_!' escape '!'", t)[0].starts_with("error"));
}

TEST_CASE("parts of bytea are cut out by bytes") {
  const BatchPtr t = table("x bytea", {{"\\x010203"}, {"\\x"}, {"null"}});
  CHECK(values_of("substring(x from 2 for 1)", t) == Texts{"\\x02", "\\x", "null"});
  CHECK(values_of("substring(x from 2)", t) == Texts{"\\x0203", "\\x", "null"});
  CHECK(values_of("substring(x from -1 for 3)", t) == Texts{"\\x01", "\\x", "null"});
  CHECK(values_of("substr(x, 3, 2147483647)", t) == Texts{"\\x03", "\\x", "null"});
  CHECK(values_of("substring(x from 1 for -1)", t)[0] == "error: negative substring length not allowed: -1");
  CHECK(type_of("substring('abc' from 2)") == "varchar");
}

TEST_CASE("nullif gives the type in which both are compared") {
  CHECK(type_of("nullif(1, 1.0)") == "decimal(1,0)");
  CHECK(value_of("nullif(1, 2.0)") == "1");
  CHECK(value_of("nullif(1, 1.0)") == "null");
  CHECK(type_of("nullif(1, 2::double)") == "double");
  CHECK(type_of("nullif(1, 2::bigint)") == "int");
  CHECK(type_of("nullif(1.5, 2)") == "decimal(2,1)");
  CHECK(type_of("nullif(1, null)") == "int");
}

TEST_CASE("a null without a type is a boolean where one is wanted") {
  for (const char* text :
       {"null and true", "not null", "null or true", "case when null then true else false end", "null is true"})
    CHECK(type_of(text) == "boolean");
  std::vector<ExpressionError> errors;
  const ExpressionPtr e = Expression::compile("null", Schema(), errors, Type::boolean());
  REQUIRE(e);
  CHECK(e->type() == Type::boolean());
  CHECK_FALSE(Expression::compile("'maybe'", Schema(), errors, Type::boolean()));
  CHECK(errors.at(0).text == "invalid input syntax for type boolean: \"maybe\"");
}

TEST_CASE("signs stand before numbers, intervals and brackets") {
  CHECK(value_of("-(1.5)") == "-1.5");
  CHECK(value_of("- -1") == "1");
  CHECK(value_of("+1") == "1");
}

TEST_CASE("the grammar is checked without knowing the columns") {
  std::vector<ExpressionError> errors;
  check_expression_syntax("sum(price) filter (where a > 1) + nowhere", errors);
  CHECK(errors.empty());
  check_expression_syntax("price >", errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].offset == 7);
}
