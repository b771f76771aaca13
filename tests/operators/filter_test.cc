#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "runtime/base/error.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kBids = schema_of("id bigint not null, price double, divisor bigint, note varchar, at timestamp", "at");

Binding<BoundStep> filter(const std::string& yaml, SchemaPtr schema = kBids) {
  Components components;
  add_operators(components);
  return bind_step(components, yaml, {std::move(schema)});
}

BatchPtr bids() { return batch_of(kBids, {"1|10|1|a|100", "2|null|2|b|200", "3|30|0|null|300", "4|40|4|d|400"}); }

TEST_CASE("a filter hands on the rows for which its condition is true, not those for which it is null") {
  const auto step = filter("filter: price > 15");
  REQUIRE(step.problems == "");
  const EmittedRows rows = run_hostile(*step, bids());
  CHECK(rows.at("") ==
        std::vector<std::string>{R"({"id":3,"price":30,"divisor":0,"note":null,"at":"1970-01-01T00:00:00.0003Z"})",
                                 R"({"id":4,"price":40,"divisor":4,"note":"d","at":"1970-01-01T00:00:00.0004Z"})"});
}

TEST_CASE("a filter keeps the schema and with it the event time") {
  const auto step = filter("filter: price > 15");
  REQUIRE(step.bound);
  REQUIRE(step->ports().size() == 1);
  CHECK(step->ports()[0].schema == kBids);
}

struct LastBatch final : Output {
  void emit(int, BatchPtr batch) override { last = std::move(batch); }
  bool full() const override { return false; }
  BatchPtr last;
};

TEST_CASE("a filter that takes every row hands the batch on as it is") {
  const auto step = filter("filter: id > 0");
  REQUIRE(step.bound);
  TestAttempt attempt;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  LastBatch out;
  const BatchPtr batch = bids();
  op->process(0, batch, out);
  CHECK(out.last == batch);
}

TEST_CASE("a filter that takes no row emits nothing") {
  const auto step = filter("filter: id > 100");
  REQUIRE(step.bound);
  CHECK(run_hostile(*step, bids()).empty());
}

TEST_CASE("a row whose condition fails ends the job by default") {
  const auto step = filter("filter: 8 / divisor > 1");
  REQUIRE(step.bound);
  try {
    run_hostile(*step, bids());
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kData);
    CHECK_THAT(e.text(),
               Catch::Contains("step step: ") && Catch::Contains("division by zero") && Catch::Contains(R"("id":3)"));
  }
}

TEST_CASE("a row whose condition fails is left out with skip") {
  const auto step = filter("filter: 8 / divisor > 1\non_error: skip");
  REQUIRE(step.bound);
  const EmittedRows rows = run_hostile(*step, bids());
  REQUIRE(rows.size() == 1);
  CHECK(rows.at("").size() == 3);
}

TEST_CASE("a row whose condition fails goes to the errors stream with emit") {
  const auto step = filter("filter: 8 / divisor > 1\non_error: emit");
  REQUIRE(step.problems == "");
  REQUIRE(step->ports().size() == 2);
  CHECK(step->ports()[1].name == "errors");
  const EmittedRows rows = run_hostile(*step, bids());
  CHECK(rows.at("").size() == 3);
  REQUIRE(rows.at("errors").size() == 1);
  CHECK_THAT(rows.at("errors")[0],
             Catch::Contains("division by zero") && Catch::Contains(R"( in \"8 / divisor > 1\"","step":"step")"));
}

TEST_CASE("a filter carries the row kinds of a changelog along") {
  Schema changes(kBids->fields());
  changes.set_changelog(true);
  const auto schema = std::make_shared<const Schema>(changes);
  const auto step = filter("filter: price > 15", schema);
  REQUIRE(step.bound);
  using enum RowKind;
  const EmittedRows rows = run_hostile(*step, batch_of(schema, {"1|10|1|a|1", "1|20|1|a|1", "2|30|1|b|1", "3|40|1|c|1"},
                                                       {kUpdateBefore, kUpdateAfter, kInsert, kDelete}));
  REQUIRE(rows.at("").size() == 3);
  CHECK(rows.at("")[0].substr(0, 2) == "+U");
  CHECK(rows.at("")[1].substr(0, 2) == "+I");
  CHECK(rows.at("")[2].substr(0, 2) == "-D");
}

TEST_CASE("a condition that is not boolean is refused at its place") {
  const auto step = filter("filter: price + 1");
  CHECK_THAT(step.problems, Catch::StartsWith("t.yaml:4:13: error: filter must be boolean, not double\n"));
}

TEST_CASE("an unknown column is refused at its place with the nearest name") {
  const auto step = filter("filter: \"id > 3 and prise > 3\"");
  CHECK_THAT(step.problems,
             Catch::StartsWith("t.yaml:4:25: error: ") && Catch::Contains("prise") && Catch::Contains("price"));
}

}  // namespace
}  // namespace weir
