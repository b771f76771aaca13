#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/runtime/state/map_store.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/test_task.h"

// Expressions that are not the same twice (random(), now()): what fails once has failed, and the other rows keep their keys
// and values.

namespace weir {
namespace {

const SchemaPtr kRows = schema_of("k int, v int, at timestamp", "at");

/// The columns n, lo and hi of the rows that a step emitted, by k, and how many errors.
struct Emitted final : Output {
  struct Group {
    std::int64_t n = 0, lo = 0, hi = 0;
  };
  std::map<int, Group> groups;
  std::int64_t errors = 0;

  void emit(int port, BatchPtr batch) override {
    if (port != 0) {
      if (batch->schema() == error_schema()) errors += batch->rows();
      return;
    }
    const auto column = [&](const char* name) -> const Column& { return batch->column(*batch->schema()->find(name)); };
    for (std::int64_t row = 0; row < batch->rows(); ++row)
      groups[column("k").values<std::int32_t>()[row]] = {column("n").values<std::int64_t>()[row],
                                                         column("lo").values<std::int32_t>()[row],
                                                         column("hi").values<std::int32_t>()[row]};
  }
  bool full() const override { return false; }
};

constexpr int kGroups = 20, kGroupRows = 60;

/// Gives the step a group's rows as a batch, the next group's as a batch of another length, and so on.
Emitted run(const std::string& aggregate, const std::string& on_error) {
  Components components;
  add_aggregate(components);
  const auto step = bind_step(components, "aggregate: { by: [k], " + aggregate + " }\non_error: " + on_error, {kRows});
  REQUIRE(step.problems == "");
  std::vector<std::string> tables;
  for (const TableDeclaration& t : step->tables()) tables.push_back("step/" + t.name);
  MapStore store(tables);
  TestAttempt attempt;
  attempt.context().state = &store;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  Emitted out;
  for (int group = 0; group < kGroups; ++group) {
    for (int begin = 0, size = 7 + group; begin < kGroupRows; begin += size) {
      std::vector<std::string> rows;
      for (int i = begin; i < std::min(kGroupRows, begin + size); ++i)
        rows.push_back(fmt::format("{}|{}|{}", group, group * kGroupRows + i, i));
      op->process(0, batch_of(kRows, rows), out);
    }
  }
  op->on_watermark(Timestamp::infinity(), out);
  return out;
}

void check_all(const std::string& window, const std::string& failing) {
  INFO(window << " " << failing);
  const Emitted emitted = run(window + "select: { n: count(*), lo: min(v), hi: max(v), x: '" + failing + "' }", "emit");
  std::int64_t rows = emitted.errors;
  for (const auto& [group, of] : emitted.groups) {
    CHECK(of.n <= kGroupRows);
    CHECK(of.lo >= group * kGroupRows);
    CHECK(of.hi < (group + 1) * kGroupRows);
    rows += of.n;
  }
  CHECK(emitted.groups.size() == kGroups);
  CHECK(emitted.errors > kGroups);
  CHECK(rows == kGroups * kGroupRows);
}

const std::string kNoZero = "(case when random() < 0.2 then 0 else 1 end)";

TEST_CASE("rows whose argument fails by chance are left out, and the others count in their own groups") {
  for (const std::string failing :
       {"sum(1 / " + kNoZero + ")", "sum(v) filter (where 1 / " + kNoZero + " = 1)",
        "sum(1 / " + kNoZero + ") filter (where v % 3 > 0)", "count(distinct 1 / " + kNoZero + ")"})
    for (const std::string window :
         {"window: { tumbling: 1h }, ", "window: { hopping: 2h, every: 1h, offset: 30m }, ", "window: { session: 1h }, ",
          "window: { session: 1h }, emit: on_update, ", "window: { tumbling: 1h }, emit: on_update, ", ""})
      check_all(window, failing);
}

TEST_CASE("with skip such rows are counted and nothing else changes") {
  const Emitted emitted = run(
      "window: { tumbling: 1h }, select: { n: count(*), lo: min(v), hi: max(v), x: 'sum(1 / " + kNoZero + ")' }", "skip");
  CHECK(emitted.errors == 0);
  CHECK(emitted.groups.size() == kGroups);
  for (const auto& [group, of] : emitted.groups)
    CHECK((of.n < kGroupRows && of.lo >= group * kGroupRows && of.hi < (group + 1) * kGroupRows));
}

TEST_CASE("values that lie behind a failed row stay with their rows") {
  // In a filter the argument has fewer values than the batch has rows.
  Components components;
  add_aggregate(components);
  const auto step = bind_step(components,
                              "aggregate: { window: { tumbling: 1h }, select: { s: sum(12 / v) filter (where v <> 5), all: "
                              "array_agg(v) } }\non_error: skip",
                              {kRows});
  REQUIRE(step.problems == "");
  MapStore store({"step/windows"});
  TestAttempt attempt;
  attempt.context().state = &store;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  struct Rows final : Output {
    std::vector<std::string> rows;
    void emit(int, BatchPtr batch) override { rows = rows_of(*batch); }
    bool full() const override { return false; }
  } out;
  op->process(0, batch_of(kRows, {"1|5|0", "1|0|0", "1|2|0", "1|5|0", "1|3|0", "1|0|0", "1|4|0"}), out);
  op->on_watermark(Timestamp::infinity(), out);
  REQUIRE(out.rows.size() == 1);
  CHECK_THAT(out.rows[0], Catch::Contains(R"("s":13,"all":[5,2,5,3,4])"));
}

TEST_CASE("an aggregate over a changelog takes back what it took in: nothing there may differ from time to time") {
  Schema changes(kRows->fields());
  changes.set_changelog(true);
  Components components;
  add_aggregate(components);
  const auto problems = [&](const std::string& select) {
    return bind_step(components, "aggregate: { by: [k], select: { x: '" + select + "' } }",
                     {std::make_shared<const Schema>(changes)})
        .problems;
  };
  for (const std::string select : {"sum(v * random())", "1 + count(*) filter (where random() < 0.5)", "count(now() - at)"})
    CHECK_THAT(problems(select), Catch::Contains("depends on more than the row: what it took in might not be taken back"));
  CHECK(problems("sum(v) filter (where v > 0)") == "");
}

}  // namespace
}  // namespace weir
