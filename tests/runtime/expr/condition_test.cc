#include "runtime/expr/condition.h"

#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

namespace {

/// A condition over rows of `l` and `r`, as joins write it.
struct Sides {
  Schema left = schema_of("id int, big bigint, name varchar, price decimal(10,2), \"Odd\" int, inner row(x int)");
  Schema right = schema_of("id bigint, name varchar, price decimal(12,4), at timestamp, n int");
  std::vector<ExpressionError> errors;

  std::optional<PairCondition> take_apart(std::string_view text) {
    return compile_pair_condition(text, {"l", left}, {"r", right}, errors);
  }
};

/// The values of a pair of equal row counts, in the form of pair_schema().
BatchPtr pairs(const BatchPtr& left, const BatchPtr& right) {
  const auto row = [](const BatchPtr& batch) -> ColumnPtr {
    return std::make_shared<Column>(Type::row(batch->schema()->fields()), batch->rows(), 0, nullptr, nullptr, nullptr,
                                    batch->columns());
  };
  auto schema = std::make_shared<Schema>(pair_schema({"l", *left->schema()}, {"r", *right->schema()}));
  return std::make_shared<RecordBatch>(schema, std::vector<ColumnPtr>{row(left), row(right)}, left->rows());
}

}  // namespace

TEST_CASE("equalities between two sides are found, in any order of the sides, and the rest stays a condition over pairs") {
  Sides sides;
  const auto condition = sides.take_apart("l.name = r.name and (r.id = l.id and l.price > 1) and r.n < l.big");
  REQUIRE(condition);
  REQUIRE(condition->equalities.size() == 2);
  CHECK(condition->equalities[0].left->as_column() == 2);
  CHECK(condition->equalities[0].right->as_column() == 1);
  CHECK(condition->equalities[1].left->type() == Type::bigint());
  CHECK(condition->equalities[1].left->columns() == std::vector<int>{0});
  CHECK(condition->equalities[1].right->as_column() == 0);
  REQUIRE(condition->rest);
  CHECK(condition->rest->columns() == std::vector<int>{0, 1});
  CHECK(condition->rest->is_deterministic());
}

TEST_CASE("operands of an equality are expressions over their own side, both of one type") {
  Sides sides;
  const auto condition =
      sides.take_apart("upper(l.name) = r.name and l.price = r.price and l.\"Odd\" + 1 = r.n and l.inner.x = r.n");
  REQUIRE(condition);
  REQUIRE(condition->equalities.size() == 4);
  CHECK(!condition->rest);
  for (const Equality& e : condition->equalities) CHECK(e.left->type() == e.right->type());
  CHECK(condition->equalities[1].left->type() == Type::decimal(38, 4));
  const BatchPtr left = table("id int, big bigint, name varchar, price decimal(10,2), \"Odd\" int, inner row(x int)",
                              {{"1", "2", "a", "1.50", "6", "null"}});
  CHECK(run(*condition->equalities[0].left, *left, nullptr) == Texts{"A"});
  CHECK(run(*condition->equalities[2].left, *left, nullptr) == Texts{"7"});
}

TEST_CASE("what does not find pairs stays in the rest: one side alone, mixed operands, or, random(), a whole side") {
  Sides sides;
  for (const char* text : {"l.id = 1", "l.id = l.big", "l.id + r.n = 3", "l.id = r.id or l.big = r.n", "not (l.id = r.id)",
                           "l.id = r.n + (random() * 2)::int", "l.id < r.id", "l.id is not distinct from r.id", "true"}) {
    INFO(text);
    const auto condition = sides.take_apart(text);
    REQUIRE(condition);
    CHECK(condition->equalities.empty());
    REQUIRE(condition->rest);
  }
  CHECK(sides.errors.empty());
}

TEST_CASE("the rest is evaluated over rows of both sides") {
  Sides sides;
  const auto condition = sides.take_apart("l.id = r.id and l.big < r.n and r.name is null");
  REQUIRE(condition);
  REQUIRE(condition->rest);
  const BatchPtr left = table(
      "id int, big bigint, name varchar, price decimal(10,2), \"Odd\" int, inner row(x int)",
      {{"1", "2", "a", "1.50", "6", "null"}, {"1", "9", "a", "1.50", "6", "null"}, {"1", "2", "a", "1.50", "6", "null"}});
  const BatchPtr right =
      table("id bigint, name varchar, price decimal(12,4), at timestamp, n int",
            {{"1", "null", "1", "null", "5"}, {"1", "null", "1", "null", "5"}, {"1", "x", "1", "null", "5"}});
  std::vector<std::int32_t> rows;
  std::vector<RowError> errors;
  condition->rest->filter(*pairs(left, right), nullptr, context_at(), rows, errors);
  CHECK(rows == std::vector<std::int32_t>{0});
}

TEST_CASE("a condition over two sides that is wrong is told with its place") {
  struct Wrong {
    const char* text;
    std::size_t offset;
    const char* message;
  };
  for (const Wrong& wrong :
       {Wrong{"l.id = r.nam", 7, "the row has no member \"nam\""}, Wrong{"id = r.id", 0, "unknown column \"id\""},
        Wrong{"l.id = r.at", 5, "operator does not exist: int = timestamp"},
        Wrong{"l.id + 1", 5, "the condition must be boolean"}, Wrong{"l.id = ", 7, "the expression ends too early"}}) {
    INFO(wrong.text);
    Sides sides;
    CHECK(!sides.take_apart(wrong.text));
    REQUIRE(!sides.errors.empty());
    CHECK_THAT(sides.errors[0].text, Catch::Contains(wrong.message));
    CHECK(sides.errors[0].offset == wrong.offset);
  }
}

TEST_CASE("an expression is deterministic unless it uses now(), random() or the like") {
  const Schema schema = schema_of("a int, at timestamp");
  for (const char* text :
       {"a + 1", "date_trunc('day', at)", "case when a > 1 then 2 else 3 end", "a in (1, 2)", "coalesce(a, 1)"}) {
    INFO(text);
    CHECK(compiled(text, schema)->is_deterministic());
  }
  for (const char* text : {"random()", "a + 1 > random() * 10", "case when a > 1 then now() else at end", "at > now()",
                           "coalesce(a, (random() * 5)::int)", "at::date = current_date", "a in (1, (random() * 5)::int)",
                           "not (at < now() and a > 1)", "a between 1 and random()"}) {
    INFO(text);
    CHECK_FALSE(compiled(text, schema)->is_deterministic());
  }
}
