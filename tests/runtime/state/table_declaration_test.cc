#include "runtime/state/table_declaration.h"

#include <catch2/catch.hpp>

using namespace weir;

namespace {

const std::vector<Field> kKey = {{"k", Type::bigint(), false}};

std::string schema_with(const std::string& meaning, const std::string& value = "n") {
  return TableDeclaration{"groups", {}, kKey, {{value, Type::bigint(), false}}, meaning}.schema();
}

}  // namespace

TEST_CASE("how an expression is laid out does not change a schema") {
  CHECK(same_schema(schema_with("count(distinct n), sum(n) filter (where n is not null)"),
                    schema_with("count(distinctn), sum(n)filter(wherenisnotnull)")));
  CHECK(same_schema(schema_with("sum( a + b )"), schema_with("sum(a+b)")));
  CHECK(same_schema(schema_with("count(*)", "count( * )"), schema_with("count(*)", "count(*)")));
  CHECK(same_schema(schema_with("string_agg(s, ', ')"), schema_with("string_agg( s,', ' )")));
}

TEST_CASE("texts, names and types change a schema") {
  CHECK_FALSE(same_schema(schema_with("string_agg(s, ', ')"), schema_with("string_agg(s, ',')")));
  CHECK_FALSE(same_schema(schema_with("sum(a)"), schema_with("sum(b)")));
  CHECK_FALSE(same_schema(schema_with("x", "it's"), schema_with("y", "it's")));
  CHECK_FALSE(same_schema(schema_with("s = 'a b'", "it's"), schema_with("s = 'ab'", "it's")));
  CHECK_FALSE(same_schema(
      schema_with("x"),
      TableDeclaration{"groups", {}, {{"k", Type::integer(), false}}, {{"n", Type::bigint(), false}}, "x"}.schema()));
}

TEST_CASE("a schema says how the fields of a key sort, and is read again") {
  TableDeclaration sets{"rows",
                        {},
                        {{"by, desc", Type::varchar()}, {"price", Type::decimal(10, 2)}, {"at", Type::timestamp(), false}},
                        {{"n", Type::bigint(), false}},
                        "top"};
  CHECK(parse_table_schema("rows", sets.schema()).orders.empty());
  sets.orders = {{}, {.descending = true, .nulls_first = false}, {.nulls_first = true}};
  CHECK(sets.schema() ==
        "; \"by, desc\" varchar, \"price\" decimal(10,2) desc nulls last, \"at\" timestamp not null nulls first; \"n\" "
        "bigint not null; top");
  const TableDeclaration read = parse_table_schema("rows", sets.schema());
  CHECK(read.orders == sets.orders);
  REQUIRE(read.key.size() == 3);
  CHECK(read.key[0].name == "by, desc");
  CHECK(read.key[1].type == Type::decimal(10, 2));
  CHECK(!read.key[2].nullable);
}
