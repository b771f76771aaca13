#include <catch2/catch.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

/// A pipeline whose step `counted` is `operation`.
std::string pipeline(const std::string& operation) {
  return R"yaml(
name: "${JOB}"
checkpoint: { dir: checkpoints, interval: 50ms }
sources:
  in:
    type: generator
    rate: 2000
    select: { k: "n % 10", v: "n", at: "timestamp '2024-01-01 00:00:00' + n * interval '10 ms'" }
    event_time: { column: at, max_ahead: never }
steps:
  counted: { from: in, )yaml" +
         operation + R"yaml( }
sinks: { out: { from: counted, type: file, path: out, changelog: append_op } }
)yaml";
}

std::string windows(const std::string& window, const std::string& total, const std::string& by = "k",
                    const std::string& emit = "on_close") {
  return "aggregate: { by: [" + by + "], window: " + window + ", select: { total: \"" + total + "\" }, emit: " + emit + " }";
}

}  // namespace

TEST_CASE("state of a step that means something else now is refused, and --drop-state starts it anew") {
  PipelineFolder folder(pipeline(windows("{ tumbling: 1m }", "sum(v)")));
  REQUIRE(folder.run({"--stop-after", "300ms"}).exit_code == 0);
  const auto said = [&](const std::string& operation) {
    folder.rewrite(pipeline(operation));
    const ProcessResult end = folder.run({"--stop-after", "100ms"});
    INFO(end.errors);
    CHECK(end.exit_code == 3);
    CHECK_THAT(end.errors, Contains("step counted") && Contains("--drop-state counted") && !Contains("another name"));
    return end.errors;
  };
  CHECK_THAT(said(windows("{ tumbling: 2m }", "sum(v)")), Contains("tumbling 1m") && Contains("tumbling 2m"));
  CHECK_THAT(said(windows("{ tumbling: 1m, offset: 5s }", "sum(v)")), Contains("offset 5s"));
  CHECK_THAT(said(windows("{ tumbling: 1m }", "sum(v + 1)")), Contains("sum(v + 1)"));
  CHECK_THAT(said(windows("{ tumbling: 1m }", "sum(v)", "{ k: k + 1 }")), Contains("k = k + 1"));
  said(windows("{ tumbling: 1m }", "sum(v)", "k", "on_update"));
  CHECK_THAT(said("aggregate: { by: [k], select: { total: \"sum(v)\" } }"), Contains("of another kind in the file"));

  folder.rewrite(pipeline(windows("{ tumbling: 60s }", " sum( v )")));
  const ProcessResult same = folder.run({"--stop-after", "100ms"});
  INFO(same.errors);
  CHECK(same.exit_code == 0);
  folder.rewrite(pipeline(windows("{ tumbling: 2m }", "sum(v)")));
  CHECK(folder.run({"--stop-after", "100ms", "--drop-state", "counted"}).exit_code == 0);
}

}  // namespace weir
