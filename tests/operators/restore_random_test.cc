#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "operators/operators.h"
#include "runtime/state/state_table.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/held_run.h"

// Keyed steps whose deltas are held while rows change, windows fire and sessions merge, that crash and are restored with
// another parallelism, against the same step run in one piece, and against models where those are plain. More seeds:
// WEIR_TEST_SEEDS.

namespace weir {
namespace {

using Rows = std::vector<std::string>;
const SchemaPtr kRows = schema_of("k varchar, v int, at timestamp", "at");

unsigned seeds() {
  const char* more = std::getenv("WEIR_TEST_SEEDS");
  return more ? static_cast<unsigned>(std::atoi(more)) : 40;
}

struct Row {
  std::string key;
  std::int64_t value, time;
};

/// Rows in disorder with watermarks between; most end with everything closed.
struct Input {
  std::vector<Given> given;
  std::vector<Row> rows;

  explicit Input(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    const std::int64_t keys = 1 + pick(8), disorder = 1 + pick(9'000'000), batches = 5 + pick(40);
    std::int64_t now = pick(2) ? 0 : -15'000'000, watermark = Timestamp::none().micros;
    for (std::int64_t b = 0; b < batches; ++b) {
      Rows texts;
      for (std::int64_t n = 1 + pick(12); n > 0; --n) {
        now += pick(900'000);
        rows.push_back({fmt::format("k{}", pick(keys)), static_cast<std::int64_t>(rows.size()), now - pick(disorder)});
        texts.push_back(fmt::format("{}|{}|{}", rows.back().key, rows.back().value, rows.back().time));
      }
      given.push_back({batch_of(kRows, texts)});
      if (pick(3) == 0) continue;
      watermark = std::max(watermark, now - pick(disorder + 2'000'000));
      given.push_back({nullptr, 0, Timestamp{watermark}});
    }
    if (pick(4)) given.push_back({nullptr, 0, Timestamp::infinity()});
  }
};

Binding<BoundStep> bind(const std::string& yaml) {
  Components components;
  add_aggregate(components);
  add_dedup(components);
  Binding<BoundStep> step = bind_step(components, yaml, {kRows});
  REQUIRE(step.problems == "");
  return step;
}

Rows sorted(Rows rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Totals over all seeds: a test in which nothing happens would pass too.
struct Happened {
  int crashes = 0, held = 0, ingested_untold = 0, waits = 0;
  void add(const HeldRun& run) {
    crashes += run.crashes, held += run.held, ingested_untold += run.ingested_untold, waits += run.waits;
  }
  void check() const {
    CHECK(crashes > 0);
    CHECK(held > 0);
    CHECK(ingested_untold > 0);
    CHECK(waits > 0);
  }
};

const std::string kSelect =
    "{ n: count(*), s: sum(v), f: first(v), l: last(v), d: count(distinct v % 3), list: array_agg(v) }";

void equals_one_piece(const std::string& yaml, unsigned first_seed) {
  const auto step = bind(yaml);
  Happened happened;
  for (unsigned seed = first_seed; seed < first_seed + seeds(); ++seed) {
    INFO("seed " << seed << ": " << yaml);
    const Input input(seed);
    const EmittedRows expected = run_hostile(*step, input.given);
    HeldRun run(*step, seed);
    EmittedRows out = run.run(input.given);
    for (const auto& [port, rows] : expected) REQUIRE(sorted(out[port]) == sorted(rows));
    for (const auto& [port, rows] : out) REQUIRE((expected.contains(port) || rows.empty()));
    happened.add(run);
  }
  happened.check();
}

}  // namespace

TEST_CASE("windows come out once, whatever happens while a freeze is in flight") {
  equals_one_piece("aggregate: { by: [k], window: { tumbling: 3s }, select: " + kSelect + " }", 1);
  equals_one_piece("aggregate: { by: [k], window: { hopping: 5s, every: 2s, offset: 1s }, select: " + kSelect + " }",
                   10'001);
  equals_one_piece("aggregate: { by: [k], window: { cumulate: 6s, every: 2s }, select: " + kSelect + " }", 20'001);
  // Of many slices, which are merged by runs: also what is rounded comes out the same.
  const std::string rounded =
      "{ n: count(*), s: sum(v / 7.0e0), a: avg(v), f: first(v), d: count(distinct v % 3), list: array_agg(v) }";
  equals_one_piece("aggregate: { by: [k], window: { hopping: 40s, every: 1s }, select: " + rounded + " }", 100'001);
  equals_one_piece("aggregate: { by: [k], window: { hopping: 20s, every: 300ms, offset: 1s }, select: " + rounded + " }",
                   110'001);
}

TEST_CASE("distinct values are counted once, whatever happens while a freeze is in flight") {
  const std::string select =
      "{ n: count(*), d: count(distinct v), s: sum(distinct v), even: count(distinct v) filter (where v % 2 = 0), none: "
      "count(distinct v) filter (where v < 0), other: avg(distinct v % 3) filter (where v % 2 = 1), a: count(distinct v % "
      "3) }";
  equals_one_piece("aggregate: { by: [k], select: " + select + " }", 150'001);
  equals_one_piece("aggregate: { by: [k], window: { tumbling: 3s }, emit: on_update, select: " + select + " }", 160'001);
  equals_one_piece("aggregate: { by: [k], window: { hopping: 5s, every: 2s }, emit: on_update, select: " + select + " }",
                   170'001);
}

TEST_CASE("sessions merge and come out once, whatever happens while a freeze is in flight") {
  equals_one_piece("aggregate: { by: [k], window: { session: 1s }, select: " + kSelect + " }", 30'001);
  equals_one_piece("aggregate: { by: [k], window: { session: 3s }, select: " + kSelect + " }", 40'001);
  equals_one_piece("aggregate: { by: [k], window: { session: 40s }, select: " + kSelect + " }", 90'001);
}

TEST_CASE("a session that grew a little is looked at again in the same piece of time") {
  // Of a gap of 16 s a piece is one second.
  const auto step = bind("aggregate: { by: [k], window: { session: 16s }, select: { n: count(*) } }");
  const auto watermark = [](std::int64_t tenths) { return Given{nullptr, 0, Timestamp{tenths * 100'000}}; };
  const std::vector<Given> given = {
      {batch_of(kRows, {"a|1|0", "a|2|500000"})}, watermark(161), watermark(164), watermark(170), watermark(400)};
  CHECK(run_hostile(*step, given)[""].size() == 1);
}

/// Sessions with a gap of 16 s, `end | key | rows`, in any order.
Rows sessions_of(const std::vector<Row>& rows) {
  constexpr std::int64_t kGap = 16'000'000;
  std::map<std::string, std::vector<std::int64_t>> times;
  for (const Row& row : rows) times[row.key].push_back(row.time);
  Rows sessions;
  for (auto& [key, at] : times) {
    std::sort(at.begin(), at.end());
    std::size_t n = 1;
    for (std::size_t i = 0; i < at.size(); ++i, ++n) {
      if (i + 1 < at.size() && at[i + 1] - at[i] <= kGap) continue;
      sessions.push_back(fmt::format("{{\"k\":\"{}\",\"e\":{},\"n\":{}}}", key, at[i] + kGap, std::exchange(n, 0)));
    }
  }
  return sessions;
}

TEST_CASE("sessions of many keys end in the same piece of time, more than are kept in order") {
  // Of a gap of 16 s a piece is one second; some keys' sessions grow within it, some end at one moment.
  const auto step = bind(
      "aggregate: { by: [k], window: { session: 16s }, select: { e: \"(extract(epoch from window_end) * 1000000)::bigint\", "
      "n: count(*) } }");
  for (unsigned seed = 130'001; seed < 130'001 + seeds(); ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    std::vector<Row> rows;
    std::vector<Given> given;
    std::int64_t watermark = 0;
    const auto add = [&](std::int64_t count, std::int64_t from, std::int64_t until) {
      Rows texts;
      for (; count > 0; --count) {
        const std::int64_t time = pick(4) ? from + pick(until - from) : from + (until - from) / 2;
        rows.push_back({fmt::format("k{}", pick(300)), 1, time});
        texts.push_back(fmt::format("{}|1|{}", rows.back().key, time));
      }
      given.push_back({batch_of(kRows, texts)});
    };
    add(300, 1, 2'000'000);
    for (int i = 0; i < 60; ++i) {
      watermark += pick(800'000);
      given.push_back({nullptr, 0, Timestamp{watermark}});
      if (pick(3) == 0) add(1 + pick(40), watermark + 1, watermark + 1 + pick(3'000'000) + 1);
    }
    given.push_back({nullptr, 0, Timestamp::infinity()});
    const auto plain = [](Rows out) {
      for (std::string& row : out)
        row = "{\"k\"" + row.substr(row.find(':'), row.find(",\"window_start") - row.find(':')) +
              row.substr(row.find(",\"e\""));
      for (std::string& row : out)
        row = row.substr(0, row.find(",\"_event_time")) + (row.find(",\"_event_time") == std::string::npos ? "" : "}");
      return sorted(out);
    };
    HeldRun run(*step, seed);
    REQUIRE(plain(run.run(given)[""]) == sorted(sessions_of(rows)));
    if (seed % 8 == 1) REQUIRE(plain(run_hostile(*step, given)[""]) == sorted(sessions_of(rows)));
  }
}

/// Counts rows that a step hands on.
class RowCount final : public Output {
 public:
  void emit(int, BatchPtr batch) override { rows += batch->rows(); }
  bool full() const override { return false; }
  std::int64_t rows = 0;
};

TEST_CASE("sessions that one watermark ends are dropped as one, but for those that stay open") {
  constexpr std::int64_t kKeys = 10'000, kGap = 16'000'000;
  const std::int64_t open = GENERATE(0, 3, 2000);  // the last ones are too many to be written again
  const bool on_update = GENERATE(false, true);
  const std::string emit = on_update ? ", emit: on_update" : "";
  const std::string yaml = "aggregate: { by: [k], window: { session: 16s }, select: { n: count(*) }" + emit + " }";
  const auto step = bind(yaml);
  std::vector<std::string> tables;
  for (const TableDeclaration& t : step->tables()) tables.push_back("step/" + t.name);
  MapStore store(tables);
  TestAttempt attempt;
  attempt.context().memory = 0;
  attempt.context().state = &store;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  RowCount out;
  /// Freezes and ingests; returns how many rows were changed.
  auto commit = [&, epoch = Epoch{1}]() mutable {
    TaskSnapshot snapshot;
    op->on_barrier(epoch, out);
    op->snapshot(snapshot);
    EpochDelta delta{epoch, std::vector<std::vector<TableDelta>>(tables.size())};
    std::size_t changed = 0;
    for (const TaskSnapshot::Frozen& f : snapshot.frozen) {
      delta.tables[f.table.value].push_back(f.rows->encode());
      changed += f.rows->size();
    }
    store.ingest(delta);
    op->on_committed(epoch);
    epoch = epoch.next();
    return static_cast<std::int64_t>(changed);
  };

  Rows texts;
  for (std::int64_t i = 0; i < kKeys; ++i) texts.push_back(fmt::format("k{}|1|{}", i, 1 + i * 100));
  for (std::int64_t i = 0; i < open; ++i) texts.push_back(fmt::format("k{}|1|{}", i * 3, kGap * 2));
  texts.push_back(fmt::format("edge|1|{}", kGap));  // ends just behind the watermark
  CHECK(op->process(0, batch_of(kRows, texts), out) == Progress::kDone);
  CHECK(commit() >= 2 * kKeys);  // sessions and timers
  out.rows = 0;
  CHECK(op->on_watermark(Timestamp{kGap * 2 - 1}, out) == Progress::kDone);
  const std::int64_t ended = out.rows;
  if (!on_update) CHECK((ended == kKeys || ended == kKeys + 1));
  const std::int64_t changed = commit();
  if (open < 2000) CHECK(changed <= 2 * (open + 1));
  else CHECK(changed >= kKeys);
  CHECK(op->on_watermark(Timestamp::infinity(), out) == Progress::kDone);
  CHECK(out.rows == (on_update ? 0 : kKeys + open + 1));
  commit();
  for (std::uint32_t t = 0; t < tables.size(); ++t) CHECK(store.rows({t}).empty());
}

TEST_CASE("a changelog of groups is that of a model, whatever happens while a freeze is in flight") {
  const auto step = bind("aggregate: { by: [k], select: { n: count(*), s: sum(v) } }");
  Happened happened;
  for (unsigned seed = 50'001; seed < 50'001 + seeds(); ++seed) {
    INFO("seed " << seed);
    const Input input(seed);
    Rows expected;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> groups;
    for (const Row& row : input.rows) {
      auto& [n, s] = groups[row.key];
      const auto text = [&](const char* kind) {
        return fmt::format("{} {{\"k\":\"{}\",\"n\":{},\"s\":{}}}", kind, row.key, n, s);
      };
      if (n > 0) expected.push_back(text("-U"));
      const bool fresh = n == 0;
      ++n, s += row.value;
      expected.push_back(text(fresh ? "+I" : "+U"));
    }
    HeldRun run(*step, seed);
    REQUIRE(sorted(run.run(input.given)[""]) == sorted(expected));
    happened.add(run);
  }
  happened.check();
}

TEST_CASE("dedup keeps the rows of a model, whatever happens while a freeze is in flight") {
  const auto first = bind("dedup: { by: [k], keep: first }"), last = bind("dedup: { by: [k], keep: last }");
  Happened happened;
  for (unsigned seed = 60'001; seed < 60'001 + seeds(); ++seed) {
    INFO("seed " << seed);
    const Input input(seed);
    Rows firsts, changes;
    std::map<std::string, Row> before;
    for (const Row& row : input.rows) {
      const auto text = [](const Row& r) {
        return fmt::format("{{\"k\":\"{}\",\"v\":{},\"at\":\"{}\"}}", r.key, r.value, format_iso({r.time}));
      };
      const auto found = before.find(row.key);
      if (found == before.end()) firsts.push_back(text(row));
      else changes.push_back("-U " + text(found->second));
      changes.push_back((found == before.end() ? "+I " : "+U ") + text(row));
      before[row.key] = row;
    }
    HeldRun run_first(*first, seed), run_last(*last, seed);
    REQUIRE(sorted(run_first.run(input.given)[""]) == sorted(firsts));
    REQUIRE(sorted(run_last.run(input.given)[""]) == sorted(changes));
    happened.add(run_first);
    happened.add(run_last);
  }
  happened.check();
}

TEST_CASE("dedup that forgets is the same in one piece, whatever happens while a freeze is in flight") {
  equals_one_piece("dedup: { by: [k], keep: first, within: 2s }", 70'001);
  equals_one_piece("dedup: { by: [k], keep: last, within: 2s }", 80'001);
}

}  // namespace weir
