#include <catch2/catch.hpp>
#include <set>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kRows = schema_of("k varchar, v int, at timestamp", "at");
using Rows = std::vector<std::string>;

Binding<BoundStep> aggregate(const std::string& yaml, SchemaPtr schema = kRows) {
  Components components;
  add_aggregate(components);
  return bind_step(components, "aggregate:\n  " + yaml, {std::move(schema)});
}

Given rows(const Rows& values) { return {batch_of(kRows, values)}; }
Given watermark(std::int64_t seconds_times_million_minus_one) {
  return {nullptr, 0, Timestamp{seconds_times_million_minus_one * 1'000'000 - 1}};
}
const Given kEnd = {nullptr, 0, Timestamp::infinity()};

/// `1970-01-01T00:00:SS.000Z` to `SS`.
Rows short_times(Rows rows) {
  for (std::string& row : rows) {
    for (const std::string_view piece : {"1970-01-01T00:00:", ".000Z"})
      for (std::size_t at; (at = row.find(piece)) != std::string::npos;) row.erase(at, piece.size());
    if (const std::size_t at = row.find(",\"_event_time\""); at != std::string::npos) row = row.substr(0, at) + "}";
  }
  return rows;
}

Rows run(const Binding<BoundStep>& step, const std::vector<Given>& given) {
  REQUIRE(step.problems == "");
  return short_times(run_hostile(*step, given)[""]);
}

Rows sorted(Rows rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

const std::string kTumbling = "by: [k]\n  window: { tumbling: 10s }\n  select: { n: count(*), s: sum(v) }";

TEST_CASE("a changelog knows what tells its rows apart") {
  using Keys = std::vector<std::vector<int>>;
  const auto keys = [](const std::string& yaml) {
    const auto step = aggregate(yaml + "\n  select: { n: count(*) }");
    REQUIRE(step.problems == "");
    return step->ports()[0].schema->keys();
  };
  CHECK(keys("by: [k, v]") == Keys{{0, 1}});
  CHECK(keys("by: []") == Keys{{}});
  CHECK(keys("by: k\n  window: { tumbling: 10s }\n  emit: on_update") == Keys{{0, 2}, {0, 1}});
  CHECK(keys("by: k\n  window: { session: 10s }\n  emit: on_update") == Keys{{0, 2}, {0, 1}});
  CHECK(keys("by: k\n  window: { cumulate: 10s, every: 1s }\n  emit: on_update") == Keys{{0, 2}});
  CHECK(keys("by: k\n  window: { tumbling: 10s }").empty());
}

TEST_CASE("a tumbling window comes out when the watermark reaches its end") {
  const auto step = aggregate(kTumbling);
  const std::vector<Given> given = {rows({"a|1|1000000", "b|2|9999999", "a|3|10000000", "null|4|0"}), watermark(10)};
  CHECK(sorted(run(step, given)) == Rows{R"({"k":"a","window_start":"00","window_end":"10","n":1,"s":1})",
                                         R"({"k":"b","window_start":"00","window_end":"10","n":1,"s":2})",
                                         R"({"k":null,"window_start":"00","window_end":"10","n":1,"s":4})"});
}

TEST_CASE("the end of the input closes all windows") {
  CHECK(run(aggregate(kTumbling), {rows({"a|1|1000000", "a|2|2000000", "a|3|25000000"}), kEnd}) ==
        Rows{R"({"k":"a","window_start":"00","window_end":"10","n":2,"s":3})",
             R"({"k":"a","window_start":"20","window_end":"30","n":1,"s":3})"});
}

TEST_CASE("a row of a window that has fired is late") {
  const auto step = aggregate(kTumbling);
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"a|1|1000000"}), watermark(10), rows({"a|2|9999999", "a|4|10000000"}), kEnd});
  CHECK(short_times(out[""]) == Rows{R"({"k":"a","window_start":"00","window_end":"10","n":1,"s":1})",
                                     R"({"k":"a","window_start":"10","window_end":"20","n":1,"s":4})"});
  CHECK(out["late"] == Rows{R"({"k":"a","v":2,"at":"1970-01-01T00:00:09.999999Z"})"});
}

TEST_CASE("the event time of a result is its window's end less a microsecond") {
  const auto step = aggregate(kTumbling);
  REQUIRE(step.problems == "");
  const Schema& schema = *step->ports()[0].schema;
  REQUIRE(schema.event_time());
  CHECK(schema[*schema.event_time()].metadata);
  EmittedRows out = run_hostile(*step, {rows({"a|1|-1"}), kEnd});
  CHECK(
      out[""] ==
      Rows{
          R"({"k":"a","window_start":"1969-12-31T23:59:50.000Z","window_end":"1970-01-01T00:00:00.000Z","n":1,"s":1,"_event_time":"1969-12-31T23:59:59.999999Z"})"});
}

TEST_CASE("a hopping window counts a row in each window that holds it") {
  const auto step = aggregate("by: k\n  window: { hopping: 10s, every: 5s }\n  select: { s: sum(v) }");
  CHECK(run(step, {rows({"a|1|6000000", "a|2|11000000"}), watermark(15), rows({"a|4|12000000"}), kEnd}) ==
        Rows{R"({"k":"a","window_start":"00","window_end":"10","s":1})",
             R"({"k":"a","window_start":"05","window_end":"15","s":3})",
             R"({"k":"a","window_start":"10","window_end":"20","s":6})"});
}

TEST_CASE("a row too late for some hopping windows counts in the others and is late once") {
  const auto step = aggregate("by: k\n  window: { hopping: 15s, every: 5s }\n  select: { s: sum(v) }");
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(
      *step, {rows({"a|1|11000000"}), watermark(15), rows({"a|2|12000000", "a|4|1000000", "a|8|16000000"}), kEnd});
  CHECK(short_times(out[""]) == Rows{R"({"k":"a","window_start":"00","window_end":"15","s":1})",
                                     R"({"k":"a","window_start":"05","window_end":"20","s":11})",
                                     R"({"k":"a","window_start":"10","window_end":"25","s":11})",
                                     R"({"k":"a","window_start":"15","window_end":"30","s":8})"});
  CHECK(short_times(out["late"]) == Rows{R"({"k":"a","v":2,"at":"12"})", R"({"k":"a","v":4,"at":"01"})"});
}

TEST_CASE("a cumulating window comes out at every step and holds what came before") {
  const auto step = aggregate("by: k\n  window: { cumulate: 30s, every: 10s }\n  select: { s: sum(v) }");
  CHECK(sorted(run(step, {rows({"a|1|1000000", "b|2|11000000"}), watermark(10), rows({"a|4|2000000"}), kEnd})) ==
        Rows{R"({"k":"a","window_start":"00","window_end":"10","s":1})",
             R"({"k":"a","window_start":"00","window_end":"20","s":5})",
             R"({"k":"a","window_start":"00","window_end":"30","s":5})",
             R"({"k":"b","window_start":"00","window_end":"20","s":2})",
             R"({"k":"b","window_start":"00","window_end":"30","s":2})"});
}

TEST_CASE("windows are aligned to the epoch plus the offset") {
  CHECK(run(aggregate("window: { tumbling: 10s, offset: 3s }\n  select: { n: count(*) }"),
            {rows({"a|1|2999999", "a|1|3000000", "a|1|12999999"}), kEnd}) ==
        Rows{R"({"window_start":"1969-12-31T23:59:53","window_end":"03","n":1})",
             R"({"window_start":"03","window_end":"13","n":2})"});
}

TEST_CASE("groups may be computed") {
  const auto step = aggregate("by: [{ big: v > 1 }, k]\n  window: { tumbling: 10s }\n  select: { n: count(*) }");
  REQUIRE(step.problems == "");
  CHECK(step->exchange(0).keys.size() == 2);
  CHECK(sorted(run(step, {rows({"a|1|0", "a|2|1", "a|3|2"}), kEnd})) ==
        Rows{R"({"big":false,"k":"a","window_start":"00","window_end":"10","n":1})",
             R"({"big":true,"k":"a","window_start":"00","window_end":"10","n":2})"});
  CHECK_THAT(aggregate("by: [{ r: random() }]\n  select: { n: count(*) }").problems,
             Catch::Contains("depends on more than the row"));
}

TEST_CASE("equal intervals are one group, and come out in one form") {
  const SchemaPtr schema = schema_of("every interval, at timestamp", "at");
  ColumnBuilder every(Type::interval()), at(Type::timestamp());
  constexpr std::int64_t kHour = 3'600'000'000;
  for (const Interval& v : {Interval{0, 0, 720 * kHour}, Interval{0, 30, 0}, Interval{1, 0, 0}, Interval{0, 0, 24 * kHour},
                            Interval{0, 1, 0}, Interval{0, 1, 0}})
    every.append_interval(v), at.append_bigint(at.size());
  const BatchPtr batch = std::make_shared<const RecordBatch>(schema, std::vector{every.finish(), at.finish()}, 6);
  const auto both = [&](const std::string& yaml) {
    return short_times(sorted(run_hostile(*aggregate(yaml, schema), {{batch}, kEnd})[""]));
  };
  CHECK(both("by: [every]\n  window: { tumbling: 10s }\n  select: { n: count(*) }") ==
        Rows{R"({"every":"1 day","window_start":"00","window_end":"10","n":3})",
             R"({"every":"1 mon","window_start":"00","window_end":"10","n":3})"});
  CHECK(both("by: [every]\n  window: { session: 10s }\n  select: { n: count(*) }").size() == 2);
  CHECK(both("by: [every]\n  select: { n: count(*) }").size() == 10);
  CHECK(
      both("window: { tumbling: 10s }\n  select: { kinds: count(distinct every), s: sum(distinct every), list: "
           "array_agg(distinct every), lo: min(every), hi: max(every) }") ==
      Rows{
          R"({"window_start":"00","window_end":"10","kinds":2,"s":"1 mon 1 day","list":["1 day","1 mon"],"lo":"24:00:00","hi":"720:00:00"})"});
}

TEST_CASE("groups with much text come out in batches of some megabytes") {
  const std::string step = GENERATE("by: k\n  window: { tumbling: 10s }\n  ", "by: k\n  window: { session: 10s }\n  ",
                                    "by: k\n  ", "by: k\n  window: { tumbling: 10s }\n  emit: on_update\n  ",
                                    "by: k\n  window: { session: 10s }\n  emit: on_update\n  ");
  Rows texts;
  for (int i = 0; i < 26; ++i) texts.push_back(fmt::format("{}{}|1|{}", std::string(200'000, 'x'), i, 1'000'000 + i));
  EmittedRows out = run_hostile(*aggregate(step + "select: { t: min(k) }"), {rows(texts), kEnd});
  std::set<std::string> distinct(out[""].begin(), out[""].end());
  CHECK(out[""].size() == 26);
  CHECK(distinct.size() == 26);
}

TEST_CASE("aggregates without a value are null but for counts") {
  const auto step = aggregate(
      "window: { tumbling: 10s }\n  select: { n: count(*), c: count(v), s: sum(v), a: avg(v), lo: min(v), f: first(v), t: "
      "\"string_agg(k, '-')\", d: count(distinct v) }");
  CHECK(run(step, {rows({"null|null|0"}), kEnd}) ==
        Rows{R"({"window_start":"00","window_end":"10","n":1,"c":0,"s":null,"a":null,"lo":null,"f":null,"t":null,"d":0})"});
}

TEST_CASE("expressions over aggregates, groups and window bounds") {
  const auto step = aggregate(
      "by: [k]\n  window: { tumbling: 10s }\n  select: { mean: sum(v) * 1.0 / count(*), twice: 2 * sum(v), who: upper(k), "
      "e: window_end - window_start, big: count(*) filter (where v > 1) }");
  CHECK(run(step, {rows({"a|1|1000000", "a|4|2000000"}), kEnd}) ==
        Rows{R"({"k":"a","window_start":"00","window_end":"10","mean":2.5,"twice":10,"who":"A","e":"00:00:10","big":1})"});
}

TEST_CASE("all functions in one window") {
  const auto step = aggregate(
      "window: { hopping: 10s, every: 5s }\n  select: { s: sum(v), a: avg(v), lo: min(v), hi: max(k), f: first(k), l: "
      "last(k), all: bool_and(v > 1), some: bool_or(v > 1), "
      "list: array_agg(v), t: 'string_agg(k, '','')', d: count(distinct k), sd: sum(distinct v), vp: var_pop(v), dev: "
      "stddev(v) }");
  const Rows out = run(step, {rows({"b|2|6000000", "a|4|1000000", "c|2|7000000", "a|null|8000000"}), kEnd});
  REQUIRE(out.size() == 3);
  CHECK(
      out[1] ==
      R"({"window_start":"00","window_end":"10","s":8,"a":2.6666666666666665,"lo":2,"hi":"c","f":"b","l":"a","all":true,"some":true,)"
      R"("list":[2,4,2,null],"t":"b,a,c,a","d":3,"sd":6,"vp":0.8888888888888888,"dev":1.1547005383792515})");
}

TEST_CASE("a row whose argument fails follows on_error and counts nowhere") {
  Components components;
  add_aggregate(components);
  const auto step = bind_step(
      components, "aggregate:\n  window: { tumbling: 10s }\n  select: { n: count(*), s: sum(6 / v) }\non_error: emit",
      {kRows});
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"a|1|1", "b|0|2", "c|2|3"}), kEnd});
  CHECK(short_times(out[""]) == Rows{R"({"window_start":"00","window_end":"10","n":2,"s":9})"});
  REQUIRE(out["errors"].size() == 1);
  CHECK_THAT(out["errors"][0], Catch::Contains("division by zero") && Catch::Contains(R"( in \"sum(6 / v)\"")"));
}

TEST_CASE("a result that fails follows on_error") {
  Components components;
  add_aggregate(components);
  const auto step = bind_step(
      components, "aggregate:\n  by: k\n  window: { tumbling: 10s }\n  select: { q: 6 / sum(v) }\non_error: skip", {kRows});
  REQUIRE(step.problems == "");
  CHECK(short_times(run_hostile(*step, {rows({"a|0|1", "b|3|2"}), kEnd})[""]) ==
        Rows{R"({"k":"b","window_start":"00","window_end":"10","q":2})"});
}

TEST_CASE("many groups come out in several batches") {
  Rows values;
  for (int i = 0; i < 5000; ++i) values.push_back(fmt::format("k{}|{}|{}", i % 4500, i, 1000 + i));
  CHECK(run(aggregate(kTumbling), {rows(values), kEnd}).size() == 4500);
}

const std::string kSession =
    "by: [k]\n  window: { session: 5s }\n  select: { n: count(*), s: sum(v), first: first(v), list: array_agg(v) }";

TEST_CASE("sessions merge when they overlap or touch") {
  CHECK(run(aggregate(kSession),
            {rows({"a|1|1000000", "a|2|6000000", "b|4|1000000", "b|8|6000001", "c|16|12000000", "c|32|1000000"}),
             rows({"c|64|7000000"}), kEnd}) ==
        Rows{R"({"k":"b","window_start":"01","window_end":"06","n":1,"s":4,"first":4,"list":[4]})",
             R"({"k":"c","window_start":"01","window_end":"06","n":1,"s":32,"first":32,"list":[32]})",
             R"({"k":"a","window_start":"01","window_end":"11","n":2,"s":3,"first":1,"list":[1,2]})",
             R"({"k":"b","window_start":"06.000001Z","window_end":"11.000001Z","n":1,"s":8,"first":8,"list":[8]})",
             R"({"k":"c","window_start":"07","window_end":"17","n":2,"s":80,"first":16,"list":[16,64]})"});
}

TEST_CASE("a row between two sessions makes one of them") {
  CHECK(run(aggregate(kSession), {rows({"a|1|1000000", "a|2|9000000", "a|4|5000000", "a|8|20000000"}), watermark(14),
                                  rows({"a|16|19000000"}), kEnd}) ==
        Rows{R"({"k":"a","window_start":"01","window_end":"14","n":3,"s":7,"first":1,"list":[1,2,4]})",
             R"({"k":"a","window_start":"19","window_end":"25","n":2,"s":24,"first":8,"list":[8,16]})"});
}

TEST_CASE("a row is late for a session that has closed, and in time when it joins an open one") {
  const auto step = aggregate(kSession);
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"a|1|1000000", "a|2|11000000"}), watermark(11),
                                        rows({"a|4|2000000", "a|8|6000000", "a|16|5000000", "b|32|0"}), kEnd});
  CHECK(short_times(out[""]) ==
        Rows{R"({"k":"a","window_start":"01","window_end":"06","n":1,"s":1,"first":1,"list":[1]})",
             R"({"k":"a","window_start":"05","window_end":"16","n":3,"s":26,"first":2,"list":[2,8,16]})"});
  CHECK(short_times(out["late"]) == Rows{R"({"k":"a","v":4,"at":"02"})", R"({"k":"b","v":32,"at":"00"})"});
}

TEST_CASE("a session comes out when rows at its end cannot come any more") {
  const auto micros = [](std::int64_t w) { return Given{nullptr, 0, Timestamp{w}}; };
  const auto step = aggregate(kSession);
  REQUIRE(step.problems == "");
  // The watermark of a row at 5 s stands just before it: another one at 5 s still touches the session that ends there.
  EmittedRows out =
      run_hostile(*step, {rows({"b|1|0"}), micros(4'999'999), rows({"b|2|5000000", "c|4|1", "d|64|0"}), micros(9'999'999),
                          rows({"b|8|10000000"}), micros(15'000'000), rows({"b|16|10000000", "b|32|10000002"}), kEnd});
  CHECK(short_times(out[""]) ==
        Rows{R"({"k":"c","window_start":"00.000001Z","window_end":"05.000001Z","n":1,"s":4,"first":4,"list":[4]})",
             R"({"k":"b","window_start":"00","window_end":"15","n":3,"s":11,"first":1,"list":[1,2,8]})",
             R"({"k":"b","window_start":"10.000002Z","window_end":"15.000002Z","n":1,"s":32,"first":32,"list":[32]})"});
  CHECK(short_times(out["late"]) == Rows{R"({"k":"d","v":64,"at":"00"})", R"({"k":"b","v":16,"at":"10"})"});
}

TEST_CASE("with emit: on_update too a session grows until the watermark reaches its end") {
  const auto micros = [](std::int64_t w) { return Given{nullptr, 0, Timestamp{w}}; };
  const auto step = aggregate("by: [k]\n  window: { session: 5s }\n  select: { s: sum(v) }\n  emit: on_update");
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"b|1|0"}), micros(4'999'999), rows({"b|2|5000000"}), micros(10'000'000),
                                        rows({"b|4|10000000", "b|8|5000000"})});
  CHECK(short_times(out[""]) == Rows{R"(+I {"k":"b","window_start":"00","window_end":"05","s":1})",
                                     R"(-U {"k":"b","window_start":"00","window_end":"05","s":1})",
                                     R"(+U {"k":"b","window_start":"00","window_end":"10","s":3})",
                                     R"(+I {"k":"b","window_start":"10","window_end":"15","s":4})",
                                     R"(-U {"k":"b","window_start":"10","window_end":"15","s":4})",
                                     R"(+U {"k":"b","window_start":"05","window_end":"15","s":12})"});
  CHECK(out["late"].empty());
}

TEST_CASE("the watermark behind a session step leaves room for sessions that are open") {
  const auto step = aggregate(kSession);
  REQUIRE(step.problems == "");
  TestAttempt attempt;
  const auto op = step->create(attempt.context());
  CHECK(op->output_watermark({4'999'999}) == Timestamp{4'999'998});
  CHECK(op->output_watermark(Timestamp::none()) == Timestamp::none());
  CHECK(op->output_watermark(Timestamp::infinity()) == Timestamp::infinity());
  CHECK(aggregate(kTumbling)->create(attempt.context())->output_watermark({4'999'999}) == Timestamp{4'999'999});
}

TEST_CASE("many sessions come out in several batches") {
  Rows values;
  for (int i = 0; i < 5000; ++i) values.push_back(fmt::format("k{}|{}|{}", i % 4500, i, 1000 + i));
  CHECK(run(aggregate(kSession), {rows(values), kEnd}).size() == 4500);
}

Rows run_plain(const Binding<BoundStep>& step, const std::vector<Given>& given) {
  REQUIRE(step.problems == "");
  return run_hostile(*step, given)[""];
}

TEST_CASE("without a window every change of a group comes out") {
  const auto step = aggregate("by: [k]\n  select: { n: count(*), hi: max(v) }");
  REQUIRE(step.problems == "");
  CHECK(step->ports()[0].schema->changelog());
  CHECK(run_plain(step, {rows({"a|1|0", "a|5|0", "b|2|0"}), rows({"a|3|0"})}) ==
        Rows{R"(+I {"k":"a","n":1,"hi":1})", R"(-U {"k":"a","n":1,"hi":1})", R"(+U {"k":"a","n":2,"hi":5})",
             R"(+I {"k":"b","n":1,"hi":2})", R"(-U {"k":"a","n":2,"hi":5})", R"(+U {"k":"a","n":3,"hi":5})"});
}

TEST_CASE("a change that does not show does not come out") {
  CHECK(run_plain(aggregate("by: [k]\n  select: { hi: max(v) }"), {rows({"a|5|0", "a|1|0", "a|7|0"})}) ==
        Rows{R"(+I {"k":"a","hi":5})", R"(-U {"k":"a","hi":5})", R"(+U {"k":"a","hi":7})"});
}

TEST_CASE("an aggregate of a changelog takes rows back") {
  Schema changes(kRows->fields());
  changes.set_changelog(true);
  const auto schema = std::make_shared<const Schema>(changes);
  using enum RowKind;
  const auto given = [&](const Rows& r, std::vector<RowKind> kinds) { return Given{batch_of(schema, r, std::move(kinds))}; };
  const auto step = aggregate(
      "by: [k]\n  select: { n: count(*), s: sum(v), lo: min(v), hi: max(v), d: count(distinct v), a: avg(v) }", schema);
  CHECK(
      run_plain(step, {given({"a|1|0", "a|5|0", "a|5|0", "a|2|0", "a|2|0"},
                             {kInsert, kInsert, kUpdateBefore, kUpdateAfter, kInsert}),
                       given({"a|1|0", "a|2|0", "a|2|0"}, {kDelete, kDelete, kDelete})}) ==
      Rows{R"(+I {"k":"a","n":1,"s":1,"lo":1,"hi":1,"d":1,"a":1})", R"(-U {"k":"a","n":1,"s":1,"lo":1,"hi":1,"d":1,"a":1})",
           R"(+U {"k":"a","n":2,"s":6,"lo":1,"hi":5,"d":2,"a":3})", R"(-U {"k":"a","n":2,"s":6,"lo":1,"hi":5,"d":2,"a":3})",
           R"(+U {"k":"a","n":1,"s":1,"lo":1,"hi":1,"d":1,"a":1})", R"(-U {"k":"a","n":1,"s":1,"lo":1,"hi":1,"d":1,"a":1})",
           R"(+U {"k":"a","n":2,"s":3,"lo":1,"hi":2,"d":2,"a":1.5})",
           R"(-U {"k":"a","n":2,"s":3,"lo":1,"hi":2,"d":2,"a":1.5})",
           R"(+U {"k":"a","n":3,"s":5,"lo":1,"hi":2,"d":2,"a":1.6666666666666667})",
           R"(-U {"k":"a","n":3,"s":5,"lo":1,"hi":2,"d":2,"a":1.6666666666666667})",
           R"(+U {"k":"a","n":2,"s":4,"lo":2,"hi":2,"d":1,"a":2})", R"(-U {"k":"a","n":2,"s":4,"lo":2,"hi":2,"d":1,"a":2})",
           R"(+U {"k":"a","n":1,"s":2,"lo":2,"hi":2,"d":1,"a":2})",
           R"(-D {"k":"a","n":1,"s":2,"lo":2,"hi":2,"d":1,"a":2})"});
}

TEST_CASE("rows that fail and results that fail in one batch are all reported") {
  for (const std::string window :
       {"", "window: { tumbling: 10s }\n  emit: on_update\n  ", "window: { session: 10s }\n  emit: on_update\n  "}) {
    Components components;
    add_aggregate(components);
    const auto step = bind_step(
        components, "aggregate:\n  by: k\n  " + window + "select: { q: 6 / sum(12 / v) }\non_error: emit", {kRows});
    REQUIRE(step.problems == "");
    EmittedRows out = run_hostile(*step, {rows({"a|2|0", "a|0|0", "a|-2|0", "a|3|0"})});
    CHECK(out["errors"].size() == 2);
    CHECK(out[""].size() == 3);
  }
}

const std::string kUpdating =
    "by: [k]\n  window: { tumbling: 10s }\n  select: { n: count(*), s: sum(v) }\n  emit: on_update";

TEST_CASE("with emit: on_update every change of a window's row comes out, until the watermark reaches its end") {
  const auto step = aggregate(kUpdating);
  REQUIRE(step.problems == "");
  CHECK(step->ports()[0].schema->changelog());
  EmittedRows out = run_hostile(*step, {rows({"a|1|1000000", "b|2|2000000", "a|3|11000000", "a|4|9999999"}), watermark(10),
                                        rows({"a|5|9999999", "a|6|12000000"}), kEnd});
  CHECK(short_times(out[""]) == Rows{R"(+I {"k":"a","window_start":"00","window_end":"10","n":1,"s":1})",
                                     R"(+I {"k":"b","window_start":"00","window_end":"10","n":1,"s":2})",
                                     R"(+I {"k":"a","window_start":"10","window_end":"20","n":1,"s":3})",
                                     R"(-U {"k":"a","window_start":"00","window_end":"10","n":1,"s":1})",
                                     R"(+U {"k":"a","window_start":"00","window_end":"10","n":2,"s":5})",
                                     R"(-U {"k":"a","window_start":"10","window_end":"20","n":1,"s":3})",
                                     R"(+U {"k":"a","window_start":"10","window_end":"20","n":2,"s":9})"});
  CHECK(out["late"] == Rows{R"({"k":"a","v":5,"at":"1970-01-01T00:00:09.999999Z"})"});
}

TEST_CASE("with emit: on_update a session grows, and swallows others") {
  const auto step =
      aggregate("by: [k]\n  window: { session: 10s }\n  select: { n: count(*), s: sum(v) }\n  emit: on_update");
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"a|1|0", "a|2|5000000", "a|3|25000000", "a|4|15000000"}), watermark(40),
                                        rows({"a|9|29000000", "a|5|41000000"})});
  CHECK(short_times(out[""]) == Rows{R"(+I {"k":"a","window_start":"00","window_end":"10","n":1,"s":1})",
                                     R"(-U {"k":"a","window_start":"00","window_end":"10","n":1,"s":1})",
                                     R"(+U {"k":"a","window_start":"00","window_end":"15","n":2,"s":3})",
                                     R"(+I {"k":"a","window_start":"25","window_end":"35","n":1,"s":3})",
                                     R"(-D {"k":"a","window_start":"25","window_end":"35","n":1,"s":3})",
                                     R"(-U {"k":"a","window_start":"00","window_end":"15","n":2,"s":3})",
                                     R"(+U {"k":"a","window_start":"00","window_end":"35","n":4,"s":10})",
                                     R"(+I {"k":"a","window_start":"41","window_end":"51","n":1,"s":5})"});
  CHECK(out["late"].size() == 1);
}

TEST_CASE("a row that is late for some windows changes the others") {
  const auto step = aggregate("window: { cumulate: 30s, every: 10s }\n  select: { n: count(*) }\n  emit: on_update");
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"a|1|5000000"}), watermark(10), rows({"a|1|5000000"})});
  CHECK(short_times(out[""]) ==
        Rows{R"(+I {"window_start":"00","window_end":"10","n":1})", R"(+I {"window_start":"00","window_end":"20","n":1})",
             R"(+I {"window_start":"00","window_end":"30","n":1})", R"(-U {"window_start":"00","window_end":"20","n":1})",
             R"(+U {"window_start":"00","window_end":"20","n":2})", R"(-U {"window_start":"00","window_end":"30","n":1})",
             R"(+U {"window_start":"00","window_end":"30","n":2})"});
  CHECK(out["late"].size() == 1);
}

TEST_CASE("days begin where the clocks of a zone show midnight") {
  const auto step = aggregate("window: { tumbling: 1d, zone: Europe/Berlin }\n  select: { n: count(*) }");
  REQUIRE(step.problems == "");
  const std::int64_t s = 1'000'000, before = 1711753200 * s, forward = 1711839600 * s,
                     after = 1711922400 * s;  // 2024-03-30, -31, -04-01 00:00 in Berlin
  const auto at = [&](std::int64_t time) { return fmt::format("a|1|{}", time); };
  EmittedRows out = run_hostile(*step, {rows({at(before), at(forward - 1), at(forward), at(after - 1), at(after)}),
                                        {nullptr, 0, Timestamp{after - 2}},
                                        rows({at(after - 2)}),
                                        {nullptr, 0, Timestamp{after - 1}},
                                        rows({at(after - 1), at(after)}),
                                        kEnd});
  const auto window = [](const char* start, const char* end, int n, const char* time) {
    return fmt::format(R"({{"window_start":"{}.000Z","window_end":"{}.000Z","n":{},"_event_time":"{}.999999Z"}})", start,
                       end, n, time);
  };
  CHECK(out[""] == Rows{window("2024-03-29T23:00:00", "2024-03-30T23:00:00", 2, "2024-03-30T22:59:59"),
                        window("2024-03-30T23:00:00", "2024-03-31T22:00:00", 3, "2024-03-31T21:59:59"),
                        window("2024-03-31T22:00:00", "2024-04-01T22:00:00", 2, "2024-04-01T21:59:59")});
  CHECK(out["late"].size() == 1);
}

TEST_CASE("what goes by arrival takes rows back, too") {
  Schema changes(kRows->fields());
  changes.set_changelog(true);
  const auto schema = std::make_shared<const Schema>(changes);
  using enum RowKind;
  const auto step = aggregate(
      "by: [k]\n  select: { f: first(v), l: last(v), a: array_agg(v), t: \"string_agg(v::varchar, '-')\", d: "
      "array_agg(distinct v) }",
      schema);
  const Given given{batch_of(schema, {"a|3|0", "a|1|0", "a|3|0", "a|3|0", "a|2|0", "a|1|0"},
                             {kInsert, kInsert, kInsert, kUpdateBefore, kUpdateAfter, kDelete})};
  const Rows out = run_plain(step, {given});
  REQUIRE(out.size() == 11);
  CHECK(out[4] == R"(+U {"k":"a","f":3,"l":3,"a":[3,1,3],"t":"3-1-3","d":[1,3]})");
  CHECK(out[6] == R"(+U {"k":"a","f":3,"l":1,"a":[3,1],"t":"3-1","d":[1,3]})");
  CHECK(out[8] == R"(+U {"k":"a","f":3,"l":2,"a":[3,1,2],"t":"3-1-2","d":[1,2,3]})");
  CHECK(out[10] == R"(+U {"k":"a","f":3,"l":2,"a":[3,2],"t":"3-2","d":[2,3]})");
}

TEST_CASE("distinct collections are sorted, with null as PostgreSQL has it") {
  CHECK(run(aggregate("window: { hopping: 10s, every: 10s }\n  select: { a: array_agg(distinct v), t: \"string_agg(distinct "
                      "k, ',')\" }"),
            {rows({"b|2|1", "a|null|1", "b|1|1", "null|2|1"}), kEnd}) ==
        Rows{R"({"window_start":"00","window_end":"10","a":[1,2,null],"t":"a,b"})"});
}

TEST_CASE("a group whose result fails has no row while it does") {
  Components components;
  add_aggregate(components);
  const auto step = bind_step(components, "aggregate:\n  by: k\n  select: { q: 6 / sum(v) }\non_error: emit", {kRows});
  REQUIRE(step.problems == "");
  EmittedRows out = run_hostile(*step, {rows({"a|2|0", "a|-2|0", "a|3|0"})});
  CHECK(out[""] == Rows{R"(+I {"k":"a","q":3})", R"(-D {"k":"a","q":3})", R"(+I {"k":"a","q":2})"});
  CHECK(out["errors"].size() == 1);
}

TEST_CASE("what is wrong with an aggregate is said at its place") {
  const auto problem = [](const std::string& yaml, SchemaPtr schema = kRows) {
    return aggregate(yaml, std::move(schema)).problems;
  };
  CHECK_THAT(problem(kTumbling, schema_of("k varchar, v int, at timestamp")),
             Catch::StartsWith("t.yaml:6:15: error: a window needs the event time, which 'a' does not have"));
  CHECK_THAT(problem("by: q\n  select: { n: count(*) }"), Catch::Contains("unknown column 'q'"));
  CHECK_THAT(problem("by: k\n  select: { n: v + 1 }"),
             Catch::Contains("column \"v\" is neither in `by` nor inside an aggregate call"));
  CHECK_THAT(problem("by: k\n  select: { n: cuont(*) }"), Catch::Contains("did you mean count?"));
  CHECK_THAT(problem("by: k\n  select: { n: sum(count(*)) }"),
             Catch::Contains("aggregate calls cannot stand inside one another"));
  CHECK_THAT(problem("by: k\n  select: { n: sum(k) }"), Catch::Contains("function sum(varchar) does not exist"));
  CHECK_THAT(problem("by: k\n  select: { k: count(*) }"), Catch::Contains("has a column 'k' already"));
  CHECK_THAT(problem("by: k\n  select: { n: count() }"), Catch::Contains("count(*)"));
  CHECK_THAT(problem("by: k\n  window: { hopping: 5s, every: 10s }\n  select: { n: count(*) }"),
             Catch::Contains("'every' is longer than the window"));
  CHECK_THAT(problem("by: k\n  window: { tumbling: 36h, zone: Europe/Berlin }"),
             Catch::Contains("t.yaml:6:38: error: a zone is for windows of whole days: Europe/Berlin"));
  CHECK_THAT(problem("by: k\n  window: { cumulate: 1d, every: 1h, zone: Europe/Berlin }"),
             Catch::Contains("whole days, every whole days"));
  CHECK_THAT(problem("by: k\n  window: { tumbling: 1d, zone: Europe/Berlim }"),
             Catch::Contains("there is no time zone 'Europe/Berlim'"));
  CHECK_THAT(problem("by: k\n  window: { hopping: 1d, every: 1s }\n  emit: on_update"),
             Catch::Contains("every row changes the rows of 86400 windows at once"));
  CHECK_THAT(problem("by: k\n  emit: on_close"), Catch::Contains("without a window nothing closes"));
  CHECK_THAT(problem("by: k\n  window: { cumulate: 25s, every: 10s }\n  select: { n: count(*) }"),
             Catch::Contains("'cumulate' must be a multiple of 'every'"));
}

}  // namespace
}  // namespace weir
