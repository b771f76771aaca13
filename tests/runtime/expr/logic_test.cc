#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

namespace {

BatchPtr truth() {
  return table("a boolean, b boolean", {{"t", "t"},
                                        {"t", "f"},
                                        {"t", "null"},
                                        {"f", "t"},
                                        {"f", "f"},
                                        {"f", "null"},
                                        {"null", "t"},
                                        {"null", "f"},
                                        {"null", "null"}});
}

BatchPtr numbers() {
  return table("a int, b int, c int", {{"1", "2", "3"},
                                       {"2", "2", "2"},
                                       {"3", "2", "1"},
                                       {"null", "2", "3"},
                                       {"1", "null", "3"},
                                       {"1", "2", "null"},
                                       {"null", "null", "null"},
                                       {"6", "0", "1"}});
}

}  // namespace

TEST_CASE("logic has three values") {
  const BatchPtr t = truth();
  CHECK(values_of("a and b", t) == Texts{"t", "f", "null", "f", "f", "f", "null", "f", "null"});
  CHECK(values_of("a or b", t) == Texts{"t", "t", "t", "t", "f", "null", "t", "null", "null"});
  CHECK(values_of("not a", t) == Texts{"f", "f", "f", "t", "t", "t", "null", "null", "null"});
  CHECK(values_of("not (a and b)", t) == Texts{"f", "t", "null", "t", "t", "t", "null", "t", "null"});
  CHECK(values_of("(a or b) and not (a and b)", t) == Texts{"f", "t", "null", "t", "f", "null", "null", "null", "null"});
  CHECK(values_of("a = b", t) == Texts{"t", "f", "null", "f", "t", "null", "null", "null", "null"});
  CHECK(values_of("a < b", t) == Texts{"f", "f", "null", "t", "f", "null", "null", "null", "null"});
  CHECK(values_of("a is true", t) == Texts{"t", "t", "t", "f", "f", "f", "f", "f", "f"});
  CHECK(values_of("a is not true", t) == Texts{"f", "f", "f", "t", "t", "t", "t", "t", "t"});
  CHECK(values_of("a is false", t) == Texts{"f", "f", "f", "t", "t", "t", "f", "f", "f"});
  CHECK(values_of("a is unknown", t) == Texts{"f", "f", "f", "f", "f", "f", "t", "t", "t"});
  CHECK(values_of("a is not unknown", t) == Texts{"t", "t", "t", "t", "t", "t", "f", "f", "f"});
  CHECK(values_of("a is null", t) == Texts{"f", "f", "f", "f", "f", "f", "t", "t", "t"});
  CHECK(values_of("a is distinct from b", t) == Texts{"f", "t", "t", "t", "f", "t", "t", "t", "f"});
  CHECK(values_of("a is not distinct from b", t) == Texts{"t", "f", "f", "f", "t", "f", "f", "f", "t"});
  CHECK(values_of("a and null", t) == Texts{"null", "null", "null", "f", "f", "f", "null", "null", "null"});
  CHECK(values_of("a or null", t) == Texts{"t", "t", "t", "null", "null", "null", "null", "null", "null"});
  CHECK(values_of("a and true", t) == Texts{"t", "t", "t", "f", "f", "f", "null", "null", "null"});
  CHECK(values_of("a or b or a is null", t) == Texts{"t", "t", "t", "t", "f", "null", "t", "t", "t"});
}

TEST_CASE("comparisons, in and between know null") {
  const BatchPtr t = numbers();
  CHECK(values_of("a = b", t) == Texts{"f", "t", "f", "null", "null", "f", "null", "f"});
  CHECK(values_of("a <> b", t) == Texts{"t", "f", "t", "null", "null", "t", "null", "t"});
  CHECK(values_of("2 <= a", t) == Texts{"f", "t", "t", "null", "f", "f", "null", "t"});
  CHECK(values_of("2 > a", t) == Texts{"t", "f", "f", "null", "t", "t", "null", "f"});
  CHECK(values_of("a in (1, 2)", t) == Texts{"t", "t", "f", "null", "t", "t", "null", "f"});
  CHECK(values_of("a in (1, null)", t) == Texts{"t", "null", "null", "null", "t", "t", "null", "null"});
  CHECK(values_of("a not in (1, 2)", t) == Texts{"f", "f", "t", "null", "f", "f", "null", "t"});
  CHECK(values_of("a not in (1, null)", t) == Texts{"f", "null", "null", "null", "f", "f", "null", "null"});
  CHECK(values_of("a in (b, c)", t) == Texts{"f", "t", "f", "null", "null", "null", "null", "f"});
  CHECK(values_of("a + 1 in (b, c)", t) == Texts{"t", "f", "f", "null", "null", "t", "null", "f"});
  CHECK(values_of("a in (1, 2.5)", t) == Texts{"t", "f", "f", "null", "t", "t", "null", "f"});
  CHECK(values_of("a between b and c", t) == Texts{"f", "t", "f", "null", "null", "f", "null", "f"});
  CHECK(values_of("a not between b and c", t) == Texts{"t", "f", "t", "null", "null", "t", "null", "t"});
  CHECK(values_of("a between symmetric c and b", t) == Texts{"f", "t", "f", "null", "null", "null", "null", "f"});
  CHECK(values_of("a + 0 between 1 and 2", t) == Texts{"t", "t", "f", "null", "t", "t", "null", "f"});
  CHECK(values_of("a is distinct from b", t) == Texts{"t", "f", "t", "t", "t", "t", "f", "t"});
  CHECK(values_of("a is distinct from null", t) == Texts{"t", "t", "t", "f", "t", "t", "f", "t"});
  CHECK(values_of("a is not distinct from 1", t) == Texts{"t", "f", "f", "f", "t", "t", "f", "f"});
}

TEST_CASE("case, coalesce, nullif, greatest and least") {
  const BatchPtr t = numbers();
  CHECK(values_of("case a when 1 then 'one' when b then 'b' else 'else' end", t) ==
        Texts{"one", "b", "else", "else", "one", "one", "else", "else"});
  CHECK(values_of("case when a > b then 'gt' when a < b then 'lt' end", t) ==
        Texts{"lt", "null", "gt", "null", "null", "lt", "null", "gt"});
  CHECK(values_of("coalesce(a, b, c)", t) == Texts{"1", "2", "3", "2", "1", "1", "null", "6"});
  CHECK(values_of("coalesce(a, b, c, 0)", t) == Texts{"1", "2", "3", "2", "1", "1", "0", "6"});
  CHECK(values_of("coalesce(a, 1.5)", t) == Texts{"1.0", "2.0", "3.0", "1.5", "1.0", "1.0", "1.5", "6.0"});
  CHECK(values_of("nullif(a, b)", t) == Texts{"1", "null", "3", "null", "1", "1", "null", "6"});
  CHECK(values_of("nullif(a + 0, 1)", t) == Texts{"null", "2", "3", "null", "null", "null", "null", "6"});
  CHECK(values_of("greatest(a, b, c)", t) == Texts{"3", "2", "3", "3", "3", "2", "null", "6"});
  CHECK(values_of("least(a, b, c)", t) == Texts{"1", "2", "1", "2", "1", "1", "null", "0"});
  CHECK(values_of("greatest(a, 1.5)", t) == Texts{"1.5", "2.0", "3.0", "1.5", "1.5", "1.5", "1.5", "6.0"});
}

TEST_CASE("what a guard keeps out is not computed") {
  const BatchPtr t = numbers();
  CHECK(values_of("case when b = 0 then 0 else a / b end", t) == Texts{"0", "1", "1", "null", "null", "0", "null", "0"});
  CHECK(values_of("b <> 0 and a / b >= 1", t) == Texts{"f", "t", "t", "null", "null", "f", "null", "f"});
  CHECK(values_of("b = 0 or a / b >= 1", t) == Texts{"f", "t", "t", "null", "null", "f", "null", "t"});
  CHECK(values_of("coalesce(c, 1 / b)", t) == Texts{"3", "2", "1", "3", "3", "0", "null", "1"});
  CHECK(values_of("case when b > 0 then 1 / b when b = 0 then 1 / (b - 0) end", t).back() ==
        "error: division by zero: 1 / 0");
  CHECK(values_of("case when true then 1 else 1 / 0 end", t)[0] == "1");
  CHECK(values_of("case when false then 1 / 0 end is null", t)[0] == "t");
  CHECK(values_of("case 1 when 2 then 1 / 0 else a end", t)[0] == "1");
  CHECK(values_of("coalesce(1, 1 / 0)", t)[0] == "1");
  CHECK(values_of("false and 1 / 0 = 1", t)[0] == "f");
  CHECK(values_of("true or 1 / 0 = 1", t)[0] == "t");
  CHECK(values_of("1 / 0", t)[0] == "error: division by zero: 1 / 0");
  CHECK(values_of("a > 5 and 1 / b > 0", t) ==
        Texts{"f", "f", "f", "f", "f", "f", "null", "error: division by zero: 1 / 0"});
}

TEST_CASE("a bound behind the one that decides is not evaluated") {
  const BatchPtr t =
      table("i int, s varchar", {{"20", "x"}, {"10", "x"}, {"20", "30"}, {"null", "30"}, {"20", "null"}, {"10", "null"}});
  const std::string bad = "error: invalid input syntax for type bigint: \"x\"";
  CHECK(values_of("i not between 15 and s::bigint", t) == Texts{bad, "t", "f", "null", "null", "t"});
  CHECK(values_of("i between 15 and s::bigint", t) == Texts{bad, "f", "t", "null", "null", "f"});
  CHECK(values_of("not (i between 15 and s::bigint)", t)[1] == "t");
  CHECK(values_of("i + 0 not between 15 and 1 / (i - 10)", t)[1] == "t");
  CHECK(values_of("case when i not between 15 and s::bigint then 1 else 0 end", t)[1] == "1");
  std::vector<RowError> errors;
  std::vector<std::int32_t> rows;
  compiled("i not between 15 and s::bigint", *t->schema())->filter(*t, nullptr, context_at(), rows, errors);
  CHECK(rows == std::vector<std::int32_t>{1, 5});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].row == 0);
  // Both bounds are needed where they may stand in either order.
  CHECK(values_of("i between symmetric 15 and s::bigint", t)[1] == bad);
}

TEST_CASE("or keeps no row for which a part of it fails, as a filter too") {
  const BatchPtr t = table("p boolean, a int", {{"null", "0"}, {"t", "1"}, {"f", "0"}, {"null", "1"}});
  for (const char* text :
       {"(p and 1 / a = 1) or a < 9", "((p::int) between 1 and 1 / a) or true", "not (p and 1 / a = 1) or a < 9"}) {
    INFO(text);
    CHECK(values_of(text, t) == Texts{"error: division by zero: 1 / 0", "t", "t", "t"});
  }
}

TEST_CASE("errors are reported once per row, with rows that do not fail kept") {
  const BatchPtr t = numbers();
  const ExpressionPtr e = compiled("1 / b + 1 / b > 0", *t->schema());
  std::vector<RowError> errors;
  std::vector<std::int32_t> rows;
  e->filter(*t, nullptr, context_at(), rows, errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].row == 7);
  CHECK(rows.empty());
  const ExpressionPtr either = compiled("a = 2 or 1 / b > 5 or true", *t->schema());
  rows.clear(), errors.clear();
  either->filter(*t, nullptr, context_at(), rows, errors);
  REQUIRE(errors.size() == 1);
  CHECK(rows == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6});
}
