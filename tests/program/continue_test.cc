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

std::string row(int n, const std::string& time) { return "{\"n\":" + std::to_string(n) + ",\"at\":\"2024-01-01T" + time + "Z\"}\n"; }

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

}  // namespace weir
