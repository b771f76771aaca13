#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// Rows of the files in `in`, and how many there are in each hour.
constexpr const char* kCounts = R"yaml(
sources:
  in: { type: file, path: in, schema: { n: bigint, at: timestamp }, event_time: { column: at } }
steps:
  hours: { from: in, aggregate: { window: { tumbling: 1h }, select: { n: "count(*)" } } }
sinks:
  rows: { from: in, type: file, path: rows, format: json }
  counts: { from: hours, type: file, path: counts, format: json }
)yaml";

std::string row(int n, const std::string& time) {
  return "{\"n\":" + std::to_string(n) + ",\"at\":\"2024-01-01T" + time + "Z\"}\n";
}

/// The numbers in the parts of a sink, sorted.
std::vector<std::int64_t> numbers(const PipelineFolder& folder, const char* sink) {
  std::vector<std::int64_t> all;
  for (const auto& entry : fs::directory_iterator(folder / sink))
    for (const std::string& line : lines_in(read_file(entry.path()))) {
      const std::size_t at = line.find("\"n\":");
      all.push_back(std::stoll(line.substr(at + 4)));
    }
  std::sort(all.begin(), all.end());
  return all;
}

/// Rows of `in`, one behind the other, through `STEP`; another source keeps the job running behind their end.
std::string beside_a_longer_source(const std::string& steps) {
  return R"yaml(
sources:
  in: { type: file, path: in, schema: { n: bigint, at: timestamp }, event_time: { column: at } }
  other: { type: file, path: other, schema: { n: bigint, at: timestamp }, event_time: { column: at } }
  long: { type: generator, rows: 120, rate: 200, select: { n: n } }
steps:
)yaml" + steps +
         R"yaml(
sinks:
  counts: { from: hours, type: file, path: counts, format: json }
  rest: { from: long, type: discard }
)yaml";
}

}  // namespace

TEST_CASE("--continue finds files that were added and rows that were appended, and says which windows open again") {
  const PipelineFolder folder(kCounts);
  fs::create_directory(folder / "in");
  folder.write("in/a.jsonl", row(0, "10:00:00") + row(1, "10:30:00"));
  REQUIRE(folder.run().exit_code == 0);
  CHECK(numbers(folder, "rows") == std::vector<std::int64_t>{0, 1});
  folder.write("in/a.jsonl", row(0, "10:00:00") + row(1, "10:30:00") + row(2, "10:40:00"));
  folder.write("in/b.jsonl", row(3, "11:00:00"));

  const ProcessResult nothing = folder.run();
  CHECK(nothing.exit_code == 0);
  CHECK_THAT(nothing.errors, Contains("nothing to do") && Contains("--continue"));
  CHECK(numbers(folder, "rows") == std::vector<std::int64_t>{0, 1});

  const ProcessResult more = folder.run({"--continue"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK_THAT(more.errors, Contains("new file in/b.jsonl") && Contains("opens again") && Contains("steps: hours"));
  CHECK(numbers(folder, "rows") == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(numbers(folder, "counts") == std::vector<std::int64_t>{1, 1, 2});
}

TEST_CASE("the floor of --continue is the watermark before the end, wherever batches were cut") {
  const bool cut = GENERATE(false, true);
  const PipelineFolder folder(kCounts);
  fs::create_directory(folder / "in");
  folder.write("in/a.jsonl", row(0, "10:10:00") + row(1, "12:30:00") + (cut ? row(2, "09:00:00") : ""));
  REQUIRE(folder.run().exit_code == 0);
  CHECK_THAT(folder.weir({"checkpoints", "show", folder.newest().path.string()}).output, Contains("12:29:59.999999"));
  folder.write("in/b.jsonl", row(3, "10:30:00") + row(4, "12:40:00"));
  const ProcessResult more = folder.run({"--continue"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK(numbers(folder, "counts") == std::vector<std::int64_t>{1, 1, 1});  // 10:30 is late; 12:40 opens its hour again
}

TEST_CASE("--continue of a folder that was empty finds its files") {
  const PipelineFolder folder(kCounts);
  fs::create_directory(folder / "in");
  REQUIRE(folder.run().exit_code == 0);
  folder.write("in/a.jsonl", row(0, "10:00:00"));
  const ProcessResult more = folder.run({"--continue"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK(numbers(folder, "rows") == std::vector<std::int64_t>{0});
}

TEST_CASE("a bounded source whose positions are given up is read again from its start") {
  const PipelineFolder folder(kCounts);
  fs::create_directory(folder / "in");
  folder.write("in/a.jsonl", row(0, "10:00:00") + row(1, "10:30:00"));
  REQUIRE(folder.run({"--stop-after", "0s"}).exit_code == 0);
  const ProcessResult again = folder.run({"--continue", "--drop-state", "in"});
  INFO(again.errors);
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.errors, Contains("given up"));
  CHECK(numbers(folder, "rows").size() >= 2);
}

TEST_CASE("the floor of --continue holds for steps that ended long before the job") {
  const auto steps = GENERATE(
      as<std::string>(), R"yaml(  hours: { from: in, aggregate: { window: { tumbling: 1h }, select: { n: "count(*)" } } }
  read: { from: other, filter: "true" })yaml",
      R"yaml(  both: { from: [in, other], union: {} }
  hours: { from: both, aggregate: { window: { session: 30m }, select: { n: "count(*)" } } })yaml",
      R"yaml(  first: { from: in, dedup: { by: [n], within: 10m } }
  hours: { from: first, aggregate: { by: [n], window: { tumbling: 1h }, select: { c: "count(*)" } } }
  read: { from: other, filter: "true" })yaml");
  CAPTURE(steps);
  std::string yaml = beside_a_longer_source(steps);
  if (steps.find("both") == std::string::npos) yaml += "  rows: { from: read, type: discard }\n";
  const PipelineFolder folder(yaml);
  fs::create_directory(folder / "in");
  fs::create_directory(folder / "other");
  folder.write("in/a.jsonl", row(5, "10:05:00") + row(5, "12:05:00") + row(5, "14:05:00"));
  folder.write("other/a.jsonl", row(6, "14:05:00"));
  REQUIRE(folder.run().exit_code == 0);
  const std::size_t before = numbers(folder, "counts").size();
  folder.write("in/b.jsonl", row(5, "10:10:00"));
  const ProcessResult more = folder.run({"--continue"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK(numbers(folder, "counts").size() == before);  // 10:10 is late: its window fired
}

}  // namespace weir
