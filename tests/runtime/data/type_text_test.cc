#include <catch2/catch.hpp>

#include "runtime/data/schema.h"
#include "tests/runtime/data/samples.h"

namespace weir {

namespace {

/// The type as it prints itself, or `offset: text (hint)`.
std::string parsed(const std::string& text) {
  Field f{"name", Type::boolean()};
  if (const auto error = parse_type(text, f))
    return std::to_string(error->offset) + ": " + error->text + (error->hint.empty() ? "" : " (" + error->hint + ")");
  CHECK(f.name == "name");
  return f.type.name() + (f.nullable ? "" : " not null");
}

}  // namespace

TEST_CASE("types are read as they are written, in any case, with PostgreSQL's other names") {
  for (const char* same : {"boolean", "int", "bigint", "double", "decimal(10,2)", "varchar", "bytea", "date", "timestamp",
                           "interval", "json", "array(varchar)", "array(int not null)", "map(varchar, bigint)",
                           "row(a int, b row(c array(json) not null))", "bigint not null"})
    CHECK(parsed(same) == same);
  const std::pair<const char*, const char*> kOthers[] = {{"BIGINT", "bigint"},
                                                         {" int8 ", "bigint"},
                                                         {"integer", "int"},
                                                         {"int4", "int"},
                                                         {"text", "varchar"},
                                                         {"float8", "double"},
                                                         {"Double Precision", "double"},
                                                         {"bool", "boolean"},
                                                         {"numeric(5)", "decimal(5,0)"},
                                                         {"numeric( 5 , 1 )", "decimal(5,1)"},
                                                         {"bigint NOT  NULL", "bigint not null"},
                                                         {"row(\"a b\" int, é text)", "row(\"a b\" int, é varchar)"}};
  for (const auto& [text, name] : kOthers) CHECK(parsed(text) == name);
}

TEST_CASE("every type prints so that it reads back as itself") {
  for (const Type& type : test::every_type()) CHECK(parsed(type.name()) == type.name());
  const Type odd =
      Type::row({{"a b", Type::bigint(), false}, {"x\"y", Type::varchar()}, {"Order", Type::json()}, {"é", Type::date()}});
  CHECK(odd.name() == "row(\"a b\" bigint not null, \"x\"\"y\" varchar, Order json, é date)");
  CHECK(parsed(odd.name()) == odd.name());
}

TEST_CASE("what is wrong with a type is said at its place") {
  CHECK(parsed("") == "0: expected a type");
  CHECK(parsed("bigint x") == "7: unexpected `x` behind the type bigint");
  CHECK(parsed("int not") == "4: expected `not null`");
  CHECK(parsed("strin") ==
        "0: unknown type `strin` (types are boolean, int, bigint, double, decimal(p,s), varchar, bytea, date, timestamp, "
        "interval, json, row(…), array(…), map(varchar, …))");
  CHECK(parsed("string") == "0: unknown type `string` (did you mean varchar?)");
  CHECK(parsed("array(long)") == "6: unknown type `long` (did you mean bigint?)");
  CHECK(parsed("decimal") == "0: decimal needs its digits (write decimal(12,2): 12 digits, 2 of them behind the point)");
  CHECK(parsed("decimal(39,0)") == "0: decimal has 1 to 38 digits, not 39");
  CHECK(parsed("decimal(0)") == "0: decimal has 1 to 38 digits, not 0");
  CHECK(parsed("decimal(2,3)") == "0: decimal has at most as many decimal places as digits: 3 > 2");
  CHECK(parsed("decimal(x)") == "8: expected a number");
  CHECK(parsed("decimal(5") == "9: expected `)` at the end of the type");
  CHECK(parsed("array(int") == "9: expected `)` at the end of the type");
  CHECK(parsed("array int") == "6: expected `(`, found `i`");
  CHECK(parsed("map(int, int)") == "0: the key of a map is varchar, not int");
  CHECK(parsed("row()") == "4: expected the name of a row's member");
  CHECK(parsed("row(a int, a text)") == "11: the row has two members named `a`");
  CHECK(parsed("row(a)") == "5: expected a type, found `)`");
  CHECK(parsed("row(\"a int)") == "4: the quote is not closed");
  CHECK(parsed("(int)") == "0: expected a type, found `(`");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "array(";
  CHECK(parsed(deep).find("types nested deeper than") != std::string::npos);
}

TEST_CASE("types are equal when all their parts are") {
  CHECK(Type::decimal(10, 2) == Type::decimal(10, 2));
  CHECK(!(Type::decimal(10, 2) == Type::decimal(10, 3)));
  CHECK(Type::array(Type::integer()) == Type::array(Type::integer()));
  CHECK(!(Type::array(Type::integer()) == Type::array(Type::integer(), false)));
  CHECK(!(Type::row({{"a", Type::integer()}}) == Type::row({{"b", Type::integer()}})));
}

TEST_CASE("a schema finds columns by their exact name") {
  const Schema schema({{"a", Type::integer()}, {"A", Type::integer()}});
  CHECK(schema.find("A") == 1);
  CHECK(!schema.find("b"));
}

}  // namespace weir
