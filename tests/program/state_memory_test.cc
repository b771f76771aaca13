#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/pipeline_folder.h"

// State that is larger than its share of `memory`, and state that expires.

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using std::chrono::seconds;

/// `keys` groups, each of which comes twice, in an order far from sorted.
std::string groups(int keys, const std::string& memory, const std::string& more = "") {
  return fmt::format(R"(
name: "${{JOB}}"
parallelism: 2
memory: {}
checkpoint: {{ dir: checkpoints, interval: 1h, retain: 1 }}
{}
sources:
  in: {{ type: generator, rows: {}, select: {{ k: "(n * 7919) % {}", v: n }} }}
steps:
  kept: {{ from: in, aggregate: {{ by: [k], select: {{ n: count(*), s: sum(v) }} }} }}
sinks: {{ out: {{ from: kept, type: discard }} }}
)",
                     memory, more, 2 * keys, keys);
}

/// What a checkpoint holds of the groups: how many, and those that are not as they must be.
struct Dumped {
  int rows = 0, wrong = 0;
};
Dumped dump(const PipelineFolder& folder, int keys) {
  Dumped found;
  const ProcessResult dumped = folder.weir({"state", "dump", folder.newest().path.string(), "--step", "kept"});
  REQUIRE(dumped.exit_code == 0);
  std::vector<bool> seen(static_cast<std::size_t>(keys));
  for (const std::string& line : lines_in(dumped.output)) {
    const json row = json::parse(line);
    const auto key = row["key"]["k"].get<std::size_t>();
    ++found.rows;
    if (seen.at(key) || row["value"].dump().find("\"n\":2") == std::string::npos) ++found.wrong;
    seen.at(key) = true;
  }
  return found;
}

int count_in(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("changed rows that come near their share of the memory start checkpoints early") {
  const int keys = 120'000;
  PipelineFolder folder(groups(keys, "16MiB"));
  const ProcessResult run = folder.run({"--quiet"});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK(count_in(run.errors, " committed (") > 4);
  const Dumped found = dump(folder, keys);
  CHECK(found.rows == keys);
  CHECK(found.wrong == 0);
}

TEST_CASE("state of a copied folder is shown without touching it, in every format") {
  const int keys = 2500;
  PipelineFolder folder(groups(keys, "1GiB"));
  REQUIRE(folder.run({"--quiet"}).exit_code == 0);
  const auto copy = folder / "copied";
  std::filesystem::copy(folder.newest().path, copy, std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(folder.checkpoints());
  const auto files = [&] {
    std::set<std::string> found;
    for (const auto& f : std::filesystem::recursive_directory_iterator(copy))
      found.insert(fmt::format("{} {}", f.path().string(),
                               f.is_regular_file() ? std::filesystem::last_write_time(f).time_since_epoch().count() : 0));
    return found;
  };
  const auto before = files();
  const auto dumped = [&](const std::string& format) {
    return folder.weir({"state", "dump", copy.string(), "--step", "kept", "--format", format}).output;
  };
  CHECK(lines_in(dumped("json")).size() == static_cast<std::size_t>(keys));
  CHECK(lines_in(dumped("csv")).size() == static_cast<std::size_t>(keys) + 1);
  CHECK(lines_in(dumped("table")).size() == static_cast<std::size_t>(keys) + 3);  // a heading for each thousand
  CHECK(folder.weir({"state", "diff", copy.string(), copy.string()}).output == "no differences\n");
  CHECK_THAT(folder.weir({"state", "ls", copy.string()}).output, Contains("~2500"));
  CHECK(files() == before);
}

TEST_CASE("with memory for all rows no checkpoint comes early") {
  PipelineFolder folder(groups(20'000, "1GiB"));
  const ProcessResult run = folder.run({"--quiet"});
  REQUIRE(run.exit_code == 0);
  CHECK(count_in(run.errors, " committed (") == 1);
}

TEST_CASE("the log says what state takes") {
  PipelineFolder folder(groups(5'000, "1GiB"));
  CHECK_THAT(folder.run({"--quiet"}).errors, Contains("state in memory: 5000 rows") && !Contains("reads from disk: 0") &&
                                                 !Contains(" 0 MiB") && !Contains(" 0.0 ms"));
}

TEST_CASE("the disk space of keys that are forgotten comes back") {
  PipelineFolder folder(R"(
name: "${JOB}"
parallelism: 1
memory: 256MiB
checkpoint: { dir: checkpoints, interval: 100ms, retain: 1 }
sources:
  in:
    type: generator
    rate: 200000
    select: { k: "(n * 7919) % 20000003", at: "timestamp '2024-01-01' + n * interval '50 microseconds'" }
    event_time: { column: at, max_out_of_orderness: 0s, max_ahead: never }
steps:
  kept: { from: in, dedup: { by: [k], within: 1s } }
sinks: { out: { from: kept, type: discard } }
)");
  // 20 000 keys are remembered at a time, about 15 bytes each.
  for (int run = 0; run < 3; ++run) {
    REQUIRE(folder.run({"--quiet", "--stop-after", "2s"}).exit_code == 0);
    const json shown = json::parse(folder.weir({"checkpoints", "show", folder.newest().path.string(), "--json"}).output);
    INFO(shown.dump());
    CHECK(shown["sources"]["in"]["splits"][0]["next_offset"] > 100'000 * (run + 1));
    CHECK(shown["bytes"] < 4'000'000);
  }
}

}  // namespace weir
