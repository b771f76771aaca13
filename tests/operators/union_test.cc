#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"

namespace weir {
namespace {

Binding<BoundStep> bind(const std::string& yaml, const std::vector<SchemaPtr>& inputs) {
  Components components;
  add_operators(components);
  return bind_step(components, yaml, inputs);
}

TEST_CASE("a union hands on the rows of all its inputs") {
  const SchemaPtr a = schema_of("id bigint not null, at timestamp", "at"), b = schema_of("id bigint, at timestamp", "at");
  const auto step = bind("union: {}", {a, b});
  REQUIRE(step.problems == "");
  const Schema& schema = *step->ports()[0].schema;
  CHECK(schema[0].nullable);
  CHECK(schema.event_time() == 1);
  const EmittedRows rows =
      run_hostile(*step, {{batch_of(a, {"1|1", "2|2"}), 0}, {batch_of(b, {"null|3"}), 1}, {batch_of(a, {"4|4"}), 0}});
  CHECK(rows.at("").size() == 4);
  CHECK(rows.at("")[2] == R"({"id":null,"at":"1970-01-01T00:00:00.000003Z"})");
}

TEST_CASE("a union of inputs with their event time in different columns has none") {
  const auto step =
      bind("union: {}", {schema_of("a timestamp, b timestamp", "a"), schema_of("a timestamp, b timestamp", "b")});
  REQUIRE(step.bound);
  CHECK_FALSE(step->ports()[0].schema->event_time());
}

TEST_CASE("inputs with other columns are refused, each at its place") {
  const auto step = bind("union: {}", {schema_of("id bigint, name varchar"), schema_of("id int, name varchar"),
                                       schema_of("id bigint"), schema_of("id bigint, name varchar, more date")});
  CHECK_FALSE(step.bound);
  CHECK_THAT(
      step.problems,
      Catch::Contains("t.yaml:3:15: error: 'b' does not have the columns of 'a': column 1 is id int, not id bigint") &&
          Catch::Contains("t.yaml:3:18: error: 'c' does not have the columns of 'a': it lacks name varchar") &&
          Catch::Contains("t.yaml:3:21: error: 'd' does not have the columns of 'a': it also has more date"));
}

TEST_CASE("an append-only input of a union with a changelog inserts") {
  const SchemaPtr plain = schema_of("id bigint");
  Schema changes(plain->fields());
  changes.set_changelog(true);
  const auto changelog = std::make_shared<const Schema>(changes);
  const auto step = bind("union: {}", {plain, changelog});
  REQUIRE(step.bound);
  const EmittedRows rows =
      run_hostile(*step, {{batch_of(plain, {"1"}), 0}, {batch_of(changelog, {"2"}, {RowKind::kDelete}), 1}});
  CHECK(rows.at("") == std::vector<std::string>{R"(+I {"id":1})", R"(-D {"id":2})"});
}

TEST_CASE("a union of changelogs has no key, one of a single input keeps it") {
  Schema changes(schema_of("id bigint")->fields());
  changes.set_changelog(true);
  changes.set_keys({{0}});
  const auto changelog = std::make_shared<const Schema>(changes);
  CHECK(bind("union: {}", {changelog})->ports()[0].schema->keys() == std::vector<std::vector<int>>{{0}});
  CHECK(bind("union: {}", {changelog, changelog})->ports()[0].schema->keys().empty());
  CHECK(bind("union: {}", {schema_of("id bigint"), changelog})->ports()[0].schema->keys().empty());
}

TEST_CASE("a changelog cannot be rebalanced") {
  Schema changes(schema_of("id bigint")->fields());
  changes.set_changelog(true);
  const auto step = bind("rebalance: {}", {std::make_shared<const Schema>(changes)});
  CHECK_THAT(step.problems, Catch::Contains("rebalance gives up the order of the changes of a row") &&
                                Catch::Contains("rebalance the rows before they are aggregated"));
}

TEST_CASE("rebalance asks for its rows in turn and hands them on") {
  const SchemaPtr schema = schema_of("id bigint");
  const auto step = bind("rebalance: {}", {schema});
  REQUIRE(step.bound);
  CHECK(step->exchange(0).kind == Exchange::Kind::kRebalance);
  CHECK(run_hostile(*step, batch_of(schema, {"1", "2", "3", "4"})).at("").size() == 4);
}

}  // namespace
}  // namespace weir
