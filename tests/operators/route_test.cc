#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kOrders = schema_of("id bigint, total double, divisor bigint");

Binding<BoundStep> route(const std::string& yaml) {
  Components components;
  add_operators(components);
  return bind_step(components, yaml, {kOrders});
}

BatchPtr orders() { return batch_of(kOrders, {"1|2000|1", "2|10|0", "3|null|3", "4|500|4", "5|3000|5"}); }

TEST_CASE("a row goes to the first output whose condition is true, else to rest") {
  const auto step = route("route: { big: total > 1000, some: total > 100 }");
  REQUIRE(step.problems == "");
  const EmittedRows rows = run_hostile(*step, orders());
  CHECK(rows.at("big") ==
        std::vector<std::string>{R"({"id":1,"total":2000,"divisor":1})", R"({"id":5,"total":3000,"divisor":5})"});
  CHECK(rows.at("some") == std::vector<std::string>{R"({"id":4,"total":500,"divisor":4})"});
  CHECK(rows.at("rest") ==
        std::vector<std::string>{R"({"id":2,"total":10,"divisor":0})", R"({"id":3,"total":null,"divisor":3})"});
}

TEST_CASE("a route has its outputs, rest and errors as ports and no unnamed one") {
  const auto step = route("route: { big: total > 1000 }\non_error: emit");
  REQUIRE(step.bound);
  std::vector<std::string> names;
  for (const Port& port : step->ports()) names.push_back(port.name);
  CHECK(names == std::vector<std::string>{"big", "rest", "errors"});
}

TEST_CASE("a condition is not tried for a row that an earlier one took") {
  const auto step = route("route: { none: divisor = 0, small: 10 / divisor < 5 }");
  REQUIRE(step.bound);
  const EmittedRows rows = run_hostile(*step, orders());
  CHECK(rows.at("none").size() == 1);
  CHECK(rows.at("small").size() == 3);
  CHECK(rows.at("rest").size() == 1);
}

TEST_CASE("a row for which a condition fails goes to no output") {
  const auto step = route("route: { big: total > 1000, small: 10 / divisor < 5 }\non_error: emit");
  REQUIRE(step.bound);
  const EmittedRows rows = run_hostile(*step, orders());
  CHECK(rows.at("big").size() == 2);
  CHECK(rows.at("small").size() == 2);
  CHECK(rows.count("rest") == 0);
  REQUIRE(rows.at("errors").size() == 1);
  CHECK_THAT(rows.at("errors")[0], Catch::Contains("division by zero") && Catch::Contains(R"( in \"10 / divisor < 5\"")"));
}

TEST_CASE("random numbers of two conditions are independent") {
  const auto step = route("route: { a: random() < 0.5, b: random() < 0.5 }");
  REQUIRE(step.bound);
  TestAttempt attempt;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  struct Counts final : Output {
    std::array<std::int64_t, 3> rows{};
    void emit(int port, BatchPtr batch) override { rows[static_cast<std::size_t>(port)] += batch->rows(); }
    bool full() const override { return false; }
  } out;
  for (int i = 0; i < 200; ++i) op->process(0, orders(), out);
  CHECK(out.rows[0] > 400);
  CHECK(out.rows[1] > 200);
  CHECK(out.rows[2] > 200);
}

TEST_CASE("a condition that is not boolean is refused by the name of its output") {
  const auto step = route("route: { big: total }");
  CHECK_THAT(step.problems,
             Catch::StartsWith("t.yaml:4:19: error: the condition of output 'big' must be boolean, not double\n"));
}

}  // namespace
}  // namespace weir
