// The steps of .github/CONTRIBUTING.md, "Add an operator": they are not part of the program, and what the guide shows
// compiles and passes here.
#include <catch2/catch.hpp>

#include "operators/aggregate/slot_blocks.h"
#include "operators/bound_step.h"
#include "operators/keyed_step.h"
#include "operators/keyed_table.h"
#include "runtime/state/row_codec.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/held_run.h"
#include "tests/support/hostile_harness.h"

namespace weir {
namespace {

// ---- a step without state: hands on every n-th row of a task

class Thin final : public Operator {
 public:
  explicit Thin(std::int64_t every) : every_(every) {}

  Progress process(int, BatchPtr batch, Output& out) override {
    rows_.clear();
    for (std::int32_t row = 0; row < batch->rows(); ++row)
      if (batch->column(0).values<std::int64_t>()[row] % every_ == 0) rows_.push_back(row);
    if (!rows_.empty()) out.emit(0, take(*batch, rows_));
    return Progress::kDone;
  }

 private:
  const std::int64_t every_;
  std::vector<std::int32_t> rows_;  ///< kept from batch to batch for its memory
};

std::unique_ptr<BoundStep> bind_thin(const Component& component, const std::vector<BoundInput>& inputs, BindContext&) {
  const std::int64_t every = component.config.object("thin").integer("every");
  return bound_step({{"", inputs.front().schema}}, [every] { return std::make_unique<Thin>(every); });
}

void add_thin(Components& components) {
  components.add_step({.kind = ComponentKind::kStep,
                       .name = "thin",
                       .summary = "Hands on the rows whose first column is a multiple of a number.",
                       .fields = {field::object("thin", {field::integer("every").required().at_least(1).doc("The number.")})
                                      .required()
                                      .doc("The rows to hand on.")},
                       .examples = {"from: bids\nthin: { every: 10 }"}},
                      bind_thin);
}

// ---- a step with state: hands on the first rows of each key

struct LimitPlan {
  KeyBy by;
  std::int64_t rows = 0;
};

/// How many rows of a key came, for each slot of the table.
class Counts final : public StateValues {
 public:
  std::int64_t& at(StateSlot slot) const { return counts_.at(slot); }

  void reserve(std::uint32_t slots) override { counts_.reserve(slots); }
  void reset(StateSlot slot) override { at(slot) = 0; }
  bool own_memory() const override { return false; }
  std::uint64_t owned_bytes(StateSlot) const override { return 0; }
  void copy(StateSlot from, StateSlot to) override { at(to) = at(from); }
  void prefetch(StateSlot slot) const override { counts_.prefetch(slot); }
  void encode(StateSlot slot, std::string& out) const override { RowWriter(out, 1).integer(at(slot)); }
  void decode(StateSlot slot, std::string_view bytes) override { at(slot) = RowReader(bytes, 1).integer(); }

 private:
  SlotBlocks<std::int64_t> counts_;
};

class Limit final : public Operator {
 public:
  Limit(std::shared_ptr<const LimitPlan> plan, KeyedState& state)
      : plan_(std::move(plan)), table_(state, "counts", counts_, sizeof(std::int64_t)) {}

  Progress process(int, BatchPtr batch, Output& out) override {
    std::vector<RowError> none;  // the parts of the key are columns
    keys_.encode(plan_->by.evaluate(*batch, {}, none), batch->rows());
    std::vector<std::int32_t> rows;
    for (std::int32_t row = 0; row < batch->rows(); ++row) {
      table_.look_ahead("", keys_.hashes(), row, counts_);
      const StateSlot* known = table_->find("", keys_[row], keys_.hash(row));
      if (known && counts_.at(*known) >= plan_->rows) continue;  // a row that is only read stays clean
      ++counts_.at(table_->touch("", keys_[row], keys_.hash(row)).slot);
      rows.push_back(row);
    }
    if (!rows.empty()) out.emit(0, take(*batch, rows));
    return Progress::kDone;
  }

 private:
  const std::shared_ptr<const LimitPlan> plan_;
  Counts counts_;  // before the table, which refers to it
  KeyedTable table_;
  BatchKeys keys_;
};

std::unique_ptr<BoundStep> bind_limit(const Component& component, const std::vector<BoundInput>& inputs,
                                      BindContext& context) {
  const Config& config = component.config.object("limit");
  auto plan = std::make_shared<LimitPlan>();
  plan->rows = config.integer("rows");
  for (const Text& name : config.texts("by"))
    if (auto part = bind_key_column(name, *inputs.front().schema, context.diagnostics)) plan->by.add(std::move(*part));
  return keyed_step({.ports = {{"", inputs.front().schema}},
                     .by = {plan->by},
                     .tables = {{.name = "counts", .value = {{"rows", Type::bigint(), false}}}},
                     .make = [plan](KeyedState& state) { return std::make_unique<Limit>(plan, state); }});
}

void add_limit(Components& components) {
  components.add_step(
      {.kind = ComponentKind::kStep,
       .name = "limit",
       .summary = "Hands on the first rows of each key.",
       .fields = {field::object("limit", {field::columns("by").required().doc("The columns of the key."),
                                          field::integer("rows").required().at_least(1).doc("How many rows of each.")})
                      .required()
                      .doc("The key and the number.")},
       .examples = {"from: bids\nlimit: { by: [bidder], rows: 3 }"}},
      bind_limit);
}

// ---- their tests

const SchemaPtr kRows = schema_of("n bigint, k varchar");
using Rows = std::vector<std::string>;

Binding<BoundStep> bound(const std::string& yaml) {
  Components components;
  add_thin(components);
  add_limit(components);
  Binding<BoundStep> step = bind_step(components, yaml, {kRows});
  REQUIRE(step.problems == "");
  return step;
}

std::vector<Given> some_rows() {
  std::vector<Given> given;
  for (int batch = 0; batch < 20; ++batch) {
    Rows rows;
    for (int i = 0; i < 7; ++i) rows.push_back(fmt::format("{}|k{}", batch * 7 + i, (batch * 3 + i) % 9));
    given.push_back({batch_of(kRows, rows)});
  }
  return given;
}

TEST_CASE("worked example: a step without state passes the hostile harness") {
  const EmittedRows out = run_hostile(*bound("thin: { every: 50 }"), some_rows());
  CHECK(out.at("").size() == 3);
}

TEST_CASE("worked example: a keyed step passes the hostile harness") {
  CHECK(run_hostile(*bound("limit: { by: [k], rows: 3 }"), some_rows()).at("").size() == 9 * 3);
}

TEST_CASE("worked example: a keyed step keeps its counts over crashes, held deltas and other parallelism") {
  const auto step = bound("limit: { by: [k], rows: 3 }");
  int crashes = 0, held = 0, waits = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    HeldRun run(*step, seed);
    CHECK(run.run(some_rows()).at("").size() == 9 * 3);
    crashes += run.crashes, held += run.held, waits += run.waits;
  }
  CHECK(crashes > 0);
  CHECK(held > 0);
  CHECK(waits > 0);
}

}  // namespace
}  // namespace weir
