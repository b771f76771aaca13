#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kOrders =
    schema_of("id bigint not null, price double, quantity bigint, note varchar, at timestamp, _offset bigint", "at");

Binding<BoundStep> select(const std::string& yaml, SchemaPtr schema = kOrders) {
  Components components;
  add_operators(components);
  return bind_step(components, yaml, {std::move(schema)});
}

std::string columns(const Binding<BoundStep>& step) {
  std::string text;
  if (!step.bound) return step.problems;
  const Schema& schema = *step->ports()[0].schema;
  for (int i = 0; i < schema.size(); ++i)
    text += fmt::format("{}{} {}{}{}{}", i ? ", " : "", schema[i].name, schema[i].type.name(),
                        schema[i].nullable ? "" : " not null", schema[i].metadata ? " metadata" : "",
                        schema.event_time() == i ? " event time" : "");
  return text;
}

BatchPtr orders() { return batch_of(kOrders, {"1|2.5|4|x|10|7", "2|10|null|null|20|8", "3|1|0|z|30|9"}); }

TEST_CASE("a select makes the columns it names, in order") {
  const auto step = select("select: { total: price * quantity, id: id, upper: upper(note) }");
  CHECK(columns(step) == "total double, id bigint not null, upper varchar");
  REQUIRE(step.bound);
  CHECK(run_hostile(*step, orders()).at("") == std::vector<std::string>{R"({"total":10,"id":1,"upper":"X"})",
                                                                        R"({"total":null,"id":2,"upper":null})",
                                                                        R"({"total":0,"id":3,"upper":"Z"})"});
}

TEST_CASE("a star stands for all columns and a name that is there replaces its column in place") {
  CHECK(columns(select("select: { \"*\": true, price: quantity, extra: 1 }")) ==
        "id bigint not null, price bigint, quantity bigint, note varchar, at timestamp event time, _offset bigint metadata, "
        "extra int not null");
}

TEST_CASE("a name written before the star keeps its place") {
  CHECK(columns(select("select: { price: price, \"*\": { except: [note, at] } }")) ==
        "price double, id bigint not null, quantity bigint, _offset bigint metadata");
}

TEST_CASE("the event time follows its column under another name") {
  CHECK(columns(select("select: { id: id, seen: at }")) == "id bigint not null, seen timestamp event time");
  CHECK(columns(select("select: { copy: at, at: at }")) == "copy timestamp, at timestamp event time");
}

TEST_CASE("a select that replaces or leaves out the event time makes a step without one") {
  CHECK(columns(select("select: { id: id, at: \"at + interval '1 hour'\" }")) == "id bigint not null, at timestamp");
  CHECK(columns(select("select: { \"*\": true, at: \"at + interval '1 hour'\" }")) ==
        "id bigint not null, price double, quantity bigint, note varchar, at timestamp, _offset bigint metadata");
  CHECK(columns(select("select: { id: id }")) == "id bigint not null");
}

TEST_CASE("a metadata column under another name is a column like any other") {
  CHECK(columns(select("select: { position: _offset, _offset: _offset }")) == "position bigint, _offset bigint metadata");
}

struct LastBatch final : Output {
  void emit(int, BatchPtr batch) override { last = std::move(batch); }
  bool full() const override { return false; }
  BatchPtr last;
};

TEST_CASE("a select that only carries columns shares them") {
  const auto step = select("select: { amount: price, id: id }");
  REQUIRE(step.bound);
  TestAttempt attempt;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  LastBatch out;
  const BatchPtr batch = orders();
  op->process(0, batch, out);
  REQUIRE(out.last);
  CHECK(out.last->columns()[0] == batch->columns()[1]);
  CHECK(out.last->columns()[1] == batch->columns()[0]);
}

TEST_CASE("a row for which an expression fails is left out once, however many fail") {
  const auto step = select("select: { id: id, a: 6 / quantity, b: id / quantity }\non_error: emit");
  REQUIRE(step.bound);
  const EmittedRows rows = run_hostile(*step, orders());
  CHECK(rows.at("") == std::vector<std::string>{R"({"id":1,"a":1,"b":0})", R"({"id":2,"a":null,"b":null})"});
  REQUIRE(rows.at("errors").size() == 1);
  CHECK_THAT(rows.at("errors")[0], Catch::Contains(R"("offset":9)") && Catch::Contains(R"( in \"6 / quantity\"")"));
}

TEST_CASE("two calls of random in two columns are independent") {
  const auto step = select("select: { a: random(), b: random() }");
  REQUIRE(step.bound);
  TestAttempt attempt;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  LastBatch out;
  op->process(0, orders(), out);
  REQUIRE(out.last);
  const double* a = out.last->column(0).values<double>();
  const double* b = out.last->column(1).values<double>();
  CHECK(a[0] != b[0]);
  CHECK(a[0] != a[1]);
  const double first = a[0];
  op->process(0, orders(), out);
  CHECK(out.last->column(0).values<double>()[0] != first);
}

TEST_CASE("now is the attempt's clock") {
  const auto step = select("select: { t: now() }");
  REQUIRE(step.bound);
  const EmittedRows rows = run_hostile(*step, orders());
  CHECK(rows.at("")[2] == R"({"t":"2024-01-01T00:00:00.000Z"})");
}

TEST_CASE("a select carries the row kinds of a changelog along") {
  Schema changes(kOrders->fields());
  changes.set_changelog(true);
  const auto schema = std::make_shared<const Schema>(changes);
  const auto step = select("select: { id: id }", schema);
  REQUIRE(step.bound);
  CHECK(step->ports()[0].schema->changelog());
  const EmittedRows rows =
      run_hostile(*step, batch_of(schema, {"1|1|1|a|1|1", "2|1|1|a|1|1"}, {RowKind::kInsert, RowKind::kDelete}));
  CHECK(rows.at("") == std::vector<std::string>{R"(+I {"id":1})", R"(-D {"id":2})"});
}

TEST_CASE("the keys of a changelog follow their columns, and go with them") {
  Schema changes(schema_of("a bigint, b bigint, c bigint")->fields());
  changes.set_changelog(true);
  changes.set_keys({{0, 1}, {2}});
  const auto keys = [&](const std::string& yaml) {
    const auto step = select("select: " + yaml, std::make_shared<const Schema>(changes));
    REQUIRE(step.problems == "");
    return step->ports()[0].schema->keys();
  };
  using Keys = std::vector<std::vector<int>>;
  CHECK(keys("{ \"*\": true }") == Keys{{0, 1}, {2}});
  CHECK(keys("{ x: c, y: b, z: a }") == Keys{{1, 2}, {0}});
  CHECK(keys("{ x: a, a: a, b: b }") == Keys{{1, 2}});
  CHECK(keys("{ \"*\": true, b: b + 1 }") == Keys{{2}});
  CHECK(keys("{ a: a }").empty());
}

TEST_CASE("all problems of a select are reported at their places") {
  const auto step = select("select: { \"*\": { except: [nota] }, x: pricee, y: quantity + 1 }");
  CHECK_FALSE(step.bound);
  CHECK_THAT(step.problems, Catch::Contains("t.yaml:4:31: error: unknown column 'nota'") &&
                                Catch::Contains("did you mean note?") && Catch::Contains("t.yaml:4:43: error: ") &&
                                Catch::Contains("pricee"));
}

TEST_CASE("a select that leaves no column is refused") {
  const auto step = select("select: { \"*\": { except: [id] } }", schema_of("id bigint"));
  CHECK_FALSE(step.bound);
  CHECK_THAT(step.problems, Catch::Contains("select leaves no column"));
}

}  // namespace
}  // namespace weir
