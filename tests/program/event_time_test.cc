#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;

std::string reading(const std::string& on_error, const std::string& sinks) {
  return R"(
sources:
  in:
    type: file
    path: in.jsonl
    schema: { n: bigint, at: timestamp }
    event_time: { column: at, max_ahead: 1d }
    on_error: )" +
         on_error + "\nsinks: " + sinks + "\n";
}

/// Lines 2 and 5 have no usable time, line 3 is no JSON, line 4 is blank.
constexpr const char* kLines =
    "{\"n\":1,\"at\":\"2024-01-01T00:00:00Z\"}\n{\"n\":2, "
    "\"at\":null}\n{\"n\":\n\n{\"n\":3,\"at\":\"9000-01-01T00:00:00Z\"}\n"
    "{\"n\":4,\"at\":\"2024-01-01T00:00:01Z\"}\n";

}  // namespace

TEST_CASE("a record without a usable event time goes to the errors as it was read") {
  const PipelineFolder folder(
      reading("emit", "{ out: { from: in, type: file, path: out }, bad: { from: in.errors, type: console } }"));
  folder.write("in.jsonl", kLines);
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  std::map<std::string, json> bad;
  for (const std::string& line : lines_in(result.output)) {
    const json row = json::parse(line);
    bad[row["value"]] = row;  // base64
  }
  REQUIRE(bad.size() == 3);
  const json& null_time = bad.at("eyJuIjoyLCAiYXQiOm51bGx9");
  CHECK(null_time["reason"] == "the event time is null");
  CHECK(null_time["step"] == "in");
  CHECK_THAT(null_time["topic"].get<std::string>(), Contains("in.jsonl"));
  CHECK(null_time["offset"] == 36);
  CHECK_THAT(bad.at("eyJuIjozLCJhdCI6IjkwMDAtMDEtMDFUMDA6MDA6MDBaIn0=")["reason"].get<std::string>(), Contains("max_ahead"));
  CHECK(bad.count("eyJuIjo="));
}

TEST_CASE("a record whose event time cannot be computed hides nothing of what is wrong with its neighbours") {
  const PipelineFolder folder(R"(
sources:
  in: { type: file, path: in.jsonl, schema: { v: int, at: timestamp }, on_error: skip, event_time: { column: "at + (10 / v) * interval '0 s'" } }
steps:
  counted: { from: in, aggregate: { window: { tumbling: 10s }, select: { n: count(*) } } }
sinks: { out: { from: counted, type: console } }
)");
  folder.write("in.jsonl",
               "{\"v\":1,\"at\":\"2024-01-01T00:00:01Z\"}\n{\"v\":0,\"at\":\"2024-01-01T00:00:02Z\"}\n{\"v\":3,\"at\":"
               "\"2100-01-01T00:00:00Z\"}\n"
               "{\"v\":3,\"at\":null}\n{\"v\":3,\"at\":\"2024-01-01T00:00:35Z\"}\n");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  CHECK(lines_in(result.output).size() == 2);
  CHECK_THAT(result.output, Contains("00:00:30.000Z"));
  CHECK_THAT(result.errors, Contains("3 errors"));
}

TEST_CASE("under fail a record without a usable event time ends the job with its place") {
  const PipelineFolder folder(reading("fail", "{ out: { from: in, type: discard } }"));
  folder.write("in.jsonl", kLines);
  folder.write("in.jsonl", "{\"n\":1,\"at\":\"2024-01-01T00:00:00Z\"}\n{\"n\":2, \"at\":null}\n");
  const ProcessResult result = folder.run();
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("source in: record ") && Contains("in.jsonl@36: the event time is null"));
}

TEST_CASE("late rows are counted by step at the end") {
  PipelineFolder folder(R"y(
parallelism: 1
sources:
  in:
    type: file
    path: in.jsonl
    schema: { n: bigint, at: timestamp }
    event_time: { column: at, max_out_of_orderness: 0s, watermark_step: 0s }
steps:
  short: { from: in, aggregate: { by: [n], window: { tumbling: 1s }, select: { c: "count(*)" } } }
  long: { from: in, aggregate: { by: [n], window: { tumbling: 1m }, select: { c: "count(*)" } } }
  longest: { from: in, aggregate: { by: [n], window: { tumbling: 7d }, select: { c: "count(*)" } } }
sinks: { a: { from: short, type: discard }, b: { from: long, type: discard }, c: { from: longest, type: discard } }
)y");
  const auto at = [](const std::string& time) { return "{\"n\":1,\"at\":\"2024-01-03T00:" + time + "Z\"}\n"; };
  folder.write("in.jsonl", at("05:00") + at("05:30") + at("05:10") + at("05:20") + at("03:00"));
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.errors, Contains(", 4 late (short 3, long 1) in "));
}

}  // namespace weir
