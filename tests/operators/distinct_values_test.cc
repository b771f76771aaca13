#include "operators/aggregate/distinct_values.h"

#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/runtime/state/map_store.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

class Discard final : public Output {
 public:
  void emit(int, BatchPtr) override {}
  bool full() const override { return false; }
};

Binding<BoundStep> bind_aggregate(const std::string& aggregate, const SchemaPtr& schema) {
  Components components;
  add_aggregate(components);
  Binding<BoundStep> step = bind_step(components, "aggregate: " + aggregate, {schema});
  REQUIRE(step.problems == "");
  return step;
}

/// A task of a step over a store in memory.
struct Running {
  explicit Running(const BoundStep& step) : store(names(step)), declared(step.tables()) {
    attempt.context().state = &store;
    op = step.create(attempt.context());
    op->open(task.context());
  }
  static std::vector<std::string> names(const BoundStep& step) {
    std::vector<std::string> names;
    for (const TableDeclaration& t : step.tables()) names.push_back("step/" + t.name);
    return names;
  }
  void feed(const SchemaPtr& schema, const std::vector<std::string>& rows, std::vector<RowKind> kinds = {}) {
    if (kinds.empty()) CHECK(op->process(0, batch_of(schema, rows), out) == Progress::kDone);
    else CHECK(op->process(0, batch_of(schema, rows, kinds), out) == Progress::kDone);
  }
  /// Commits an epoch. Returns what it changed: rows by table, and bytes of values.
  std::pair<std::map<std::string, std::size_t>, std::size_t> commit() {
    CHECK(op->on_barrier(epoch, out) == Progress::kDone);
    TaskSnapshot snapshot;
    op->snapshot(snapshot);
    EpochDelta delta{epoch, std::vector<std::vector<TableDelta>>(declared.size())};
    std::map<std::string, std::size_t> rows;
    std::size_t bytes = 0;
    for (const TaskSnapshot::Frozen& f : snapshot.frozen) {
      delta.tables[f.table.value].push_back(f.rows->encode());
      const TableDelta& changes = delta.tables[f.table.value].back();
      rows[declared[f.table.value].name] = changes.size();
      for (std::size_t i = 0; i < changes.size(); ++i) bytes += changes.at(i).value ? changes.at(i).value->size() : 0;
    }
    store.ingest(delta);
    op->on_committed(epoch);
    epoch = epoch.next();
    return {rows, bytes};
  }
  TestAttempt attempt;
  TestTask task{attempt, "step", 0, 1};
  MapStore store;
  const std::vector<TableDeclaration> declared;
  std::unique_ptr<Operator> op;
  Discard out;
  Epoch epoch = attempt.context().first_epoch;
};

const SchemaPtr kRows = schema_of("k varchar, v bigint");

SchemaPtr changelog() {
  Schema fields(kRows->fields());
  fields.set_changelog(true);
  return std::make_shared<const Schema>(fields);
}

}  // namespace

TEST_CASE("calls over one argument share a set of values, also where their filters differ") {
  const auto step = bind_aggregate(
      "{ by: [k], select: { d: count(distinct v), s: \"sum( distinct v ) filter (where v > 1)\", t: count(distinct v % 3), "
      "m: max(distinct v), l: array_agg(distinct v) } }",
      kRows);
  std::vector<std::string> schemas;
  for (const TableDeclaration& t : step->tables())
    if (t.name != "groups") schemas.push_back(t.name + ": " + t.schema().substr(0, t.schema().rfind("; ")));
  CHECK(schemas == std::vector<std::string>{"distinct1: ; \"k\" varchar, \"v\" bigint; \"d\" boolean, \"s\" boolean",
                                            "distinct2: ; \"k\" varchar, \"value\" bigint; \"t\" boolean"});
  const auto retracts = bind_aggregate("{ by: [k], select: { d: count(distinct v) } }", changelog());
  CHECK(retracts->tables()[1].schema().starts_with("; \"k\" varchar, \"v\" bigint; \"d\" bigint; "));
}

TEST_CASE("a change of a group with many distinct values costs one small row of the checkpoint") {
  const bool retracts = GENERATE(false, true);
  const SchemaPtr schema = retracts ? changelog() : kRows;
  const auto step =
      bind_aggregate("{ by: [k], select: { d: count(distinct v), e: count(distinct v) filter (where v % 2 = 0) } }", schema);
  Running job(*step);
  for (int i = 0; i < 10; ++i) {
    std::vector<std::string> rows;
    for (int n = 0; n < 500; ++n) rows.push_back(fmt::format("a|{}", 500 * i + n));
    job.feed(schema, rows, std::vector<RowKind>(retracts ? rows.size() : 0, RowKind::kInsert));
  }
  CHECK(job.commit().first == std::map<std::string, std::size_t>{{"groups", 1}, {"distinct1", 5000}});
  if (retracts) job.feed(schema, {"a|7777", "a|12"}, {RowKind::kInsert, RowKind::kDelete});
  else job.feed(schema, {"a|7777", "a|12"});
  const auto [rows, bytes] = job.commit();
  CHECK(rows == std::map<std::string, std::size_t>{{"groups", 1}, {"distinct1", retracts ? 2 : 1}});
  CHECK(bytes < 50);
}

}  // namespace weir
