// Operators with two inputs: the union, and a small join that uses what a keyed step with two inputs may.
#include <catch2/catch.hpp>

#include "operators/aggregate/slot_blocks.h"
#include "operators/keyed_step.h"
#include "operators/operators.h"
#include "operators/resumable.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/held_run.h"
#include "tests/support/hostile_harness.h"

namespace weir {
namespace {

const SchemaPtr kSide = schema_of("id bigint, at timestamp", "at"), kPairs = schema_of("id bigint, what varchar");

/// How many rows of a key came in each input.
struct Count {
  std::array<std::int64_t, 2> rows{};
};

class Counts final : public StateValues {
 public:
  Count& at(StateSlot slot) const { return counts_.at(slot); }
  void reserve(std::uint32_t slots) override { counts_.reserve(slots); }
  void reset(StateSlot slot) override { at(slot) = {}; }
  bool own_memory() const override { return false; }
  std::uint64_t owned_bytes(StateSlot) const override { return 0; }
  void copy(StateSlot from, StateSlot to) override { at(to) = at(from); }
  void prefetch(StateSlot slot) const override { counts_.prefetch(slot); }
  void encode(StateSlot slot, std::string& out) const override {
    RowWriter writer(out, 2);
    for (const std::int64_t n : at(slot).rows) writer.integer(n);
  }
  void decode(StateSlot slot, std::string_view bytes) override {
    RowReader reader(bytes, 2);
    for (std::int64_t& n : at(slot).rows) n = reader.null() ? 0 : reader.integer();
  }

 private:
  SlotBlocks<Count> counts_;
};

/// Rows that are nothing but their key.
class Nothing final : public StateValues {
 public:
  void reserve(std::uint32_t) override {}
  void reset(StateSlot) override {}
  bool own_memory() const override { return false; }
  std::uint64_t owned_bytes(StateSlot) const override { return 0; }
  void copy(StateSlot, StateSlot) override {}
  void prefetch(StateSlot) const override {}
  void encode(StateSlot, std::string&) const override {}
  void decode(StateSlot, std::string_view) override {}
};

/// Emits a row for each pair of rows of one id, and at the end one for each id that has rows of one input only. Reads the
/// input that it has less of. Rows of the left input are a row set.
class Pairs final : public Operator {
 public:
  Pairs(const std::vector<KeyBy>& by, KeyedState& state)
      : by_(by), table_(state, "ids", values_, sizeof(Count)), left_(state, "left", nothing_, 1) {}

  Progress process(int input, BatchPtr batch, Output& out) override {
    std::vector<RowError> none;
    keys_.encode(by_[static_cast<std::size_t>(input)].evaluate(*batch, {}, none), batch->rows());
    const std::int64_t* ids = batch->column(0).values<std::int64_t>();
    for (std::int64_t row = 0; row < batch->rows(); ++row) {
      Count& count = values_.at(table_->touch({}, keys_[row], keys_.hash(row)).slot);
      ++count.rows[static_cast<std::size_t>(input)];
      if (input == 0) {
        keep_left(*batch, row, count.rows[0]);
        for (std::int64_t n = count.rows[1]; n > 0; --n) add(ids[row], "pair");
      } else {
        for (RowSetScan scan(*left_, {}, keys_[row]); scan.valid(); scan.next()) add(ids[row], "pair");
      }
    }
    seen_[static_cast<std::size_t>(input)] += batch->rows();
    return call_.after(emit(out), out, [this](Output& o) { return emit(o); });
  }
  bool wants(int input) const override {
    const auto i = static_cast<std::size_t>(input);
    return ended_[1 - i] || seen_[i] <= seen_[1 - i];
  }
  Progress on_input_end(int input, Output&) override {
    ended_[static_cast<std::size_t>(input)] = true;
    return Progress::kDone;
  }
  Progress on_end(Output& out) override {
    table_->for_each({}, [&](std::string_view key, StateSlot slot) {
      std::vector<ColumnBuilder> id;
      id.emplace_back(Type::bigint());
      decode_key(key, id);
      const Count& count = values_.at(slot);
      if (count.rows[0] == 0 || count.rows[1] == 0) add(id[0].finish()->values<std::int64_t>()[0], "alone");
    });
    return call_.after(emit(out), out, [this](Output& o) { return emit(o); });
  }
  Progress resume(Output& out) override { return call_.resume(out); }

 private:
  /// Newest first.
  void keep_left(const RecordBatch& batch, std::int64_t row, std::int64_t n) {
    ColumnBuilder at(Type::timestamp()), number(Type::bigint());
    at.append_from(batch.column(1), row);
    number.append_bigint(n);
    const std::array<ColumnPtr, 2> columns = {at.finish(), number.finish()};
    suffix_.take(columns, 1);
    std::string key(keys_[row]);
    suffix_.append(0, key);
    left_->touch({}, key);
  }
  void add(std::int64_t id, const char* what) { found_.push_back(fmt::format("{}|{}", id, what)); }
  /// Two rows a batch.
  Progress emit(Output& out) {
    for (bool first = true; !found_.empty(); first = false) {
      if (!first && out.full()) return Progress::kMore;
      const auto rows = found_.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(found_.size()));
      out.emit(0, batch_of(kPairs, {found_.begin(), rows}));
      found_.erase(found_.begin(), rows);
    }
    return Progress::kDone;
  }

  const std::vector<KeyBy>& by_;
  Counts values_;
  KeyedTable table_;
  Nothing nothing_;
  KeyedRowSets left_;
  SuffixCodec suffix_{{{Type::timestamp(), {.descending = true}}, {Type::bigint()}}};
  BatchKeys keys_;
  Resumable call_;
  std::vector<std::string> found_;
  std::array<std::int64_t, 2> seen_{};
  std::array<bool, 2> ended_{};
};

std::unique_ptr<BoundStep> pairs() {
  KeyBy by;
  by.add({{"id", Type::bigint()}, 0});
  const auto sides = std::make_shared<const std::vector<KeyBy>>(2, by);
  TableDeclaration table{.name = "ids"};
  table.value = {{"l", Type::bigint(), false}, {"r", Type::bigint(), false}};
  TableDeclaration left{.name = "left"};
  left.key = {{"at", Type::timestamp()}, {"n", Type::bigint(), false}};
  left.orders = {{.descending = true}};
  return keyed_step({.ports = {{"", kPairs}}, .by = *sides, .tables = {table, left}, .make = [sides](KeyedState& state) {
                       return std::make_unique<Pairs>(*sides, state);
                     }});
}

Given rows(const std::vector<std::string>& texts) { return {batch_of(kSide, texts)}; }
Given watermark(std::int64_t w) { return {.watermark = {w}}; }

Table pairs_of(const std::array<std::vector<Given>, 2>& inputs) {
  std::array<std::map<std::int64_t, int>, 2> count;
  for (std::size_t i = 0; i < 2; ++i)
    for (const Given& g : inputs[i])
      for (std::int64_t r = 0; g.rows && r < g.rows->rows(); ++r) ++count[i][g.rows->column(0).values<std::int64_t>()[r]];
  Table table;
  const auto add = [&](std::int64_t id, const char* what, int times) {
    if (times) table[fmt::format(R"({{"id":{},"what":"{}"}})", id, what)] = times;
  };
  for (const auto& [id, n] : count[0]) add(id, n * count[1][id] ? "pair" : "alone", std::max(1, n * count[1][id]));
  for (const auto& [id, n] : count[1])
    if (n && !count[0].contains(id)) add(id, "alone", 1);
  return table;
}

}  // namespace

TEST_CASE("a join makes the same table whatever comes first, ends first or is idle") {
  const std::array<std::vector<Given>, 2> inputs = {{{rows({"1|1", "2|2"}), watermark(2), rows({"1|3"}), rows({"4|4"})},
                                                     {rows({"1|1"}), rows({"2|2", "2|3"}), watermark(3), rows({"3|9"})}}};
  CHECK(run_interleaved(*pairs(), inputs) == pairs_of(inputs));
}

TEST_CASE("the same when its deltas are held, it crashes, and comes back with another parallelism") {
  const auto step = pairs();
  int crashes = 0, held = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::array<std::vector<Given>, 2> inputs;
    std::vector<Given> mixed;
    for (int i = 0; i < 20; ++i) {
      if (i == 14) mixed.push_back({.input = 1, .ends = true});
      const std::size_t side = i < 14 ? random() % 2 : 0;
      inputs[side].push_back(rows({fmt::format("{}|{}", random() % 9, i), fmt::format("{}|{}", random() % 9, i)}));
      mixed.push_back(inputs[side].back());
      mixed.back().input = static_cast<int>(side);
    }
    HeldRun run(*step, seed);
    REQUIRE(table_of(run.run(mixed)[""]) == pairs_of(inputs));
    crashes += run.crashes, held += run.held;
  }
  CHECK(crashes > 20);
  CHECK(held > 10);
}

TEST_CASE("a union makes the same table whatever comes first, ends first or is idle") {
  Components components;
  add_operators(components);
  const auto step = bind_step(components, "union: {}", {kSide, kSide});
  REQUIRE(step.bound);
  const std::array<std::vector<Given>, 2> inputs = {
      {{rows({"1|1", "2|2"}), watermark(2), rows({"3|3"})}, {watermark(1), rows({"1|1"}), rows({"4|4"})}}};
  CHECK(run_interleaved(*step.bound, inputs).size() == 4);
}

}  // namespace weir
