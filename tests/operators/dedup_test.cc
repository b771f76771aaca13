#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/runtime/state/map_store.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/sanitizers.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kRows = schema_of("k varchar, v int, at timestamp", "at");
using Rows = std::vector<std::string>;

Binding<BoundStep> dedup(const std::string& yaml, SchemaPtr schema = kRows) {
  Components components;
  add_dedup(components);
  return bind_step(components, "dedup: " + yaml, {std::move(schema)});
}

Given rows(const Rows& values) { return {batch_of(kRows, values)}; }
Given watermark(std::int64_t micros) { return {nullptr, 0, Timestamp{micros}}; }

/// `{"k":"a","v":1,"at":"…"}` to `a1`, with the kind before it.
Rows brief(const Rows& rows) {
  Rows out;
  for (const std::string& row : rows) {
    std::string text;
    for (const char* name : {"\"k\":", "\"v\":"}) {
      const std::size_t at = row.find(name) + 4;
      text += row.substr(at, row.find(',', at) - at);
    }
    std::erase(text, '"');
    out.push_back(row.substr(0, row.find('{')) + text);
  }
  return out;
}

EmittedRows run(const Binding<BoundStep>& step, const std::vector<Given>& given) {
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, given);
  for (auto& [port, lines] : out) lines = brief(lines);
  return out;
}

TEST_CASE("first keeps the first row of each key to arrive") {
  CHECK(run(dedup("{ by: [k], keep: first }"),
            {rows({"a|1|9", "b|2|5", "a|3|1"}), rows({"b|4|0", "null|5|0", "null|6|0"})})[""] == Rows{"a1", "b2", "null5"});
}

TEST_CASE("equal values are one key whatever they look like") {
  const SchemaPtr schema = schema_of("every interval, d double, v int");
  ColumnBuilder every(Type::interval()), d(Type::dbl()), v(Type::integer());
  const auto add = [&](Interval interval, double number) {
    every.append_interval(interval), d.append_double(number), v.append_int(static_cast<std::int32_t>(v.size()));
  };
  add({1, 0, 0}, 0.0), add({0, 30, 0}, -0.0), add({0, 1, 0}, std::nan("1")), add({0, 0, 86'400'000'000}, -std::nan("2"));
  const BatchPtr batch = std::make_shared<const RecordBatch>(schema, std::vector{every.finish(), d.finish(), v.finish()}, 4);
  for (const std::string by : {"[every]", "[d]", "[every, d]"})
    CHECK(run_hostile(*dedup("{ by: " + by + " }", schema), batch)[""].size() == 2);
}

/// Rows of one key in all disorder, ten seconds apart each from the next; then some near the ends.
Rows ten_seconds_apart(std::int64_t count) {
  Rows all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(fmt::format("a|{}|{}", i, i * 7919 % count * 10'000'000));
  const std::int64_t end = count * 10'000'000;
  for (const std::int64_t time :
       {std::int64_t{5}, end - 10'000'001, std::int64_t{-9'999'999}, std::int64_t{-10'000'000}, end})
    all.push_back(fmt::format("a|-1|{}", time));
  return all;
}

TEST_CASE("a row is compared with those near it, whatever lies between") {
  CHECK(run(dedup("{ by: [k], keep: first, within: 10s }"), {rows(ten_seconds_apart(300))})[""].size() == 302);
  CHECK(run(dedup("{ by: [k], keep: last, within: 10s }"), {rows(ten_seconds_apart(300))})[""].size() == 310);
  CHECK(run(dedup("{ by: [k], keep: first, within: 10s }"), {rows({"a|1|9223372036854775807", "a|2|9223372036854775800",
                                                                   "a|3|9223372036844775807"})})[""] == Rows{"a1", "a3"});
}

TEST_CASE("of many pieces of time only those near a row are asked for it") {
  const auto step = dedup("{ by: [k], keep: first, within: 10s }");
  MapStore store;
  TestAttempt attempt;
  attempt.context().state = &store;
  TestTask task(attempt, "step");
  const auto op = step->create(attempt.context());
  op->open(task.context());
  struct Count final : Output {
    std::int64_t rows = 0;
    void emit(int, BatchPtr batch) override { rows += batch->rows(); }
    bool full() const override { return false; }
  } out;
  const auto begun = std::chrono::steady_clock::now();
  op->process(0, batch_of(kRows, ten_seconds_apart(20'000)), out);
  CHECK(out.rows == 20'002);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(kSanitized ? 60 : 3));
}

TEST_CASE("last replaces a key's row with each that arrives") {
  const auto step = dedup("{ by: k, keep: last }");
  REQUIRE(step.problems == "");
  CHECK(step->ports()[0].schema->changelog());
  CHECK(step->ports()[0].schema->keys() == std::vector<std::vector<int>>{{0}});
  CHECK(run(step, {rows({"a|1|9", "b|2|5", "a|3|1"}), rows({"b|4|0"})})[""] ==
        Rows{"+I a1", "+I b2", "-U a1", "+U a3", "-U b2", "+U b4"});
}

TEST_CASE("within, rows of a key are the same when they are less than that apart") {
  const auto step = dedup("{ by: [k], keep: first, within: 10s }");
  EmittedRows out = run(step, {rows({"a|1|5000000", "a|2|14999999", "a|3|15000000", "a|4|6000000"}), watermark(14'999'999),
                               rows({"a|5|15000001", "a|6|14999999", "a|7|24999999", "a|8|25000000"}), watermark(60'000'000),
                               rows({"a|9|60000001"})});
  CHECK(out[""] == Rows{"a1", "a3", "a8", "a9"});
  CHECK(out["late"] == Rows{"a6"});
}

TEST_CASE("within, last begins anew after a pause") {
  const auto step = dedup("{ by: [k], keep: last, within: 10s }");
  CHECK(run(step, {rows({"a|1|5000000", "a|2|9000000", "a|3|19000000", "a|4|3000000"}), watermark(10'000'000),
                   rows({"a|5|20000000"})})[""] ==
        Rows{"+I a1", "-U a1", "+U a2", "+I a3", "-U a2", "+U a4", "-U a3", "+U a5"});
}

TEST_CASE("a row near two that were kept apart takes the place of both") {
  const auto step = dedup("{ by: [k], keep: last, within: 10s }");
  CHECK(run(step, {rows({"a|1|5000000", "a|2|16000000", "a|3|10000000"})})[""] ==
        Rows{"+I a1", "+I a2", "-D a1", "-U a2", "+U a3"});
}

TEST_CASE("within without event time is refused at its place") {
  CHECK_THAT(dedup("{ by: [k], within: 1h }", schema_of("k varchar, v int")).problems,
             Catch::Contains("within needs the event time, which 'a' does not have"));
}

}  // namespace
}  // namespace weir
