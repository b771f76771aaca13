#include <catch2/catch.hpp>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"

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
  CHECK(run(dedup("{ by: [k], keep: first }"), {rows({"a|1|9", "b|2|5", "a|3|1"}), rows({"b|4|0", "null|5|0", "null|6|0"})})[""] ==
        Rows{"a1", "b2", "null5"});
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
                               rows({"a|5|15000001", "a|6|14999999", "a|7|24999999", "a|8|25000000"}), watermark(60'000'000), rows({"a|9|60000001"})});
  CHECK(out[""] == Rows{"a1", "a3", "a8", "a9"});
  CHECK(out["late"] == Rows{"a6"});
}

TEST_CASE("within, last begins anew after a pause") {
  const auto step = dedup("{ by: [k], keep: last, within: 10s }");
  CHECK(run(step, {rows({"a|1|5000000", "a|2|9000000", "a|3|19000000", "a|4|3000000"}), watermark(10'000'000), rows({"a|5|20000000"})})[""] ==
        Rows{"+I a1", "-U a1", "+U a2", "+I a3", "-U a2", "+U a4", "-U a3", "+U a5"});
}

TEST_CASE("a row near two that were kept apart takes the place of both") {
  const auto step = dedup("{ by: [k], keep: last, within: 10s }");
  CHECK(run(step, {rows({"a|1|5000000", "a|2|16000000", "a|3|10000000"})})[""] == Rows{"+I a1", "+I a2", "-D a1", "-U a2", "+U a3"});
}

TEST_CASE("within without event time is refused at its place") {
  CHECK_THAT(dedup("{ by: [k], within: 1h }", schema_of("k varchar, v int")).problems,
             Catch::Contains("within needs the event time, which 'a' does not have"));
}

}  // namespace
}  // namespace weir
