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
