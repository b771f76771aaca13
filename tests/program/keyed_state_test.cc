#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// Row n comes at n x 10 ms of event time: windows of a second hold 100 rows, 10 a key.
constexpr const char* kWindows = R"yaml(
name: "${JOB}"
checkpoint: { dir: checkpoints, interval: 50ms, retain: 1 }
sources:
  in:
    type: generator
    rate: 5000
    select: { k: "n % 10", at: "timestamp '2024-01-01 00:00:00' + n * interval '10 ms'" }
    event_time: { column: at, max_ahead: never }
steps:
  counted: { from: in, aggregate: { by: [k], window: { tumbling: 1s }, select: { n: "count(*)" } } }
sinks: { out: { from: counted, type: file, path: out, format: json } }
)yaml";

/// The rows of all finished parts, each once; a window that came twice throws.
std::map<std::pair<std::string, int>, int> windows_in(const PipelineFolder& folder) {
  std::map<std::pair<std::string, int>, int> found;
  for (const auto& entry : fs::directory_iterator(folder / "out")) {
    if (entry.path().filename().string().starts_with(".")) continue;
    for (const std::string& line : lines_in(read_file(entry.path()))) {
      const json row = json::parse(line);
      if (!found.emplace(std::pair(row["window_end"], row["k"]), row["n"]).second)
        throw std::runtime_error("twice: " + line);
    }
  }
  return found;
}

json show(const PipelineFolder& folder, const fs::path& checkpoint) {
  return json::parse(folder.weir({"checkpoints", "show", checkpoint.string(), "--json"}).output);
}

}  // namespace

TEST_CASE("a job with state that is killed between two claims goes on from what it had") {
  std::string pipeline = kWindows;
  const bool hopping =
      GENERATE(false, true);  // of a hopping window slices stay when it has fired: only the watermark says that it has
  if (hopping) pipeline.replace(pipeline.find("tumbling: 1s"), 12, "hopping: 1s, every: 200ms");
  PipelineFolder folder(pipeline);
  CHECK(folder.run({"--stop-after", "500ms"}).exit_code == 0);
  for (const char* point : {"after-claim", "after-claim", "during-restore", "after-claim"}) {
    folder.set("WEIR_CRASH_AT", point);
    CHECK(folder.run().exit_code == 128 + SIGKILL);
    folder.set("WEIR_CRASH_AT", "");
    INFO("killed at " << point);
    const json step = show(folder, folder.newest().path)["steps"]["counted"];
    CHECK(step["tables"].begin().value()["rows"] > 0);
    CHECK(step["watermark"].is_string());
  }
  const ProcessResult last = folder.run({"--stop-after", "500ms"});
  INFO(last.errors);
  REQUIRE(last.exit_code == 0);
  const auto windows = windows_in(folder);
  CHECK(windows.size() > 100);
  CHECK(windows.size() % 10 == 0);
  for (const auto& [window, n] : windows) CHECK((n == 10 || (hopping && window.first < "2024-01-01T00:00:01")));
  CHECK_FALSE(std::any_of(fs::directory_iterator(folder.checkpoints()), fs::directory_iterator(),
                          [](const auto& item) { return item.path().filename().string().starts_with("work-"); }));
}

TEST_CASE("windows come once and whole, however often the job is killed") {
  PipelineFolder folder(kWindows);
  folder.start_and_kill(6, milliseconds(41));
  const ProcessResult last = folder.run({"--stop-after", "300ms"});
  INFO(last.errors);
  REQUIRE(last.exit_code == 0);
  const auto windows = windows_in(folder);
  CHECK(windows.size() > 100);
  for (const auto& [window, n] : windows) CHECK(n == 10);
}

TEST_CASE("when all has been read the watermark is infinite, and nothing holds it back") {
  PipelineFolder folder(R"yaml(
name: "${JOB}"
checkpoint: { dir: checkpoints, interval: 50ms }
sources:
  in: { type: file, path: "in-*.json", schema: { at: timestamp }, event_time: { column: at } }
steps:
  counted: { from: in, aggregate: { window: { tumbling: 1s }, select: { n: "count(*)" } } }
sinks: { out: { from: counted, type: discard } }
)yaml");
  folder.write("in-1.json", "{\"at\":\"2024-01-01T00:00:00Z\"}\n");
  folder.write("in-2.json", "{\"at\":\"2024-01-01T03:00:00Z\"}\n");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const json source = show(folder, folder.newest().path)["sources"]["in"];
  CHECK(source["watermark"] == "infinity");
  CHECK(!source.contains("held_back_by"));  // all have ended
}

TEST_CASE("--drop-state says what it gives up, and what there is not") {
  const PipelineFolder folder(kWindows);
  REQUIRE(folder.run({"--stop-after", "300ms"}).exit_code == 0);
  const ProcessResult result = folder.run({"--stop-after", "300ms", "--drop-state", "counted", "--drop-state", "nope"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.errors, Contains("step counted: its state in checkpoint") && Contains("--drop-state nope: checkpoint") &&
                                Contains("it holds in, counted"));
}

TEST_CASE("state dump by a member that no key has is an error") {
  const PipelineFolder folder(kWindows);
  REQUIRE(folder.run({"--stop-after", "300ms"}).exit_code == 0);
  const std::string checkpoint = folder.newest().path.string();
  const ProcessResult found =
      folder.weir({"state", "dump", checkpoint, "--step", "counted", "--key", R"({"k":3})", "--limit", "1"});
  CHECK(found.exit_code == 0);
  CHECK(lines_in(found.output).size() == 1);
  const ProcessResult wrong = folder.weir({"state", "dump", checkpoint, "--step", "counted", "--key", R"({"zz":3})"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.errors, Contains("no key has a member zz; keys: counted windows (k "));
  CHECK(folder.weir({"state", "dump", checkpoint, "--limit", "-1"}).exit_code == 2);
}

TEST_CASE("explain tells a source's event time, and in which column that of each step is") {
  const PipelineFolder folder(R"yaml(
sources:
  in: { type: generator, rows: 10, select: { n: n }, event_time: { column: "timestamp '2024-01-01' + n * interval '1 s'", idle_after: never } }
steps: { counted: { from: in, aggregate: { window: { tumbling: 50ms }, select: { n: "count(*)" } } } }
sinks: { out: { from: counted, type: discard } }
)yaml");
  const ProcessResult text = folder.weir({"explain", "pipeline.yaml"});
  CHECK_THAT(text.output,
             Contains("timestamp '2024-01-01' + n * interval '1 s' (in the column _event_time); watermark 0s behind the "
                      "largest, in steps of 50ms; a split is never idle; refused when ahead of the clock by 1d"));
  CHECK_THAT(text.output,
             Contains("step counted (aggregate)\n  reads    in (hash)\n  time     in the column _event_time\n") &&
                 !Contains("_event_time timestamp"));
  const json object = json::parse(folder.weir({"explain", "pipeline.yaml", "--format", "json"}).output);
  CHECK(object["components"][0]["event_time"]["watermark_step"] == "50ms");
  CHECK(object["components"][0]["outputs"][0]["changelog"] == false);
  CHECK(object["components"][1]["outputs"][0]["event_time"] == "_event_time");
}

}  // namespace weir
