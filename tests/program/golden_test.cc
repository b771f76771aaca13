#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/pipeline_folder.h"
#include "tests/support/source_tree.h"

// Checkpoints of earlier programs, one for each version of the format (runtime/checkpoint/README.md). golden/make made them.

namespace weir {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines = lines_in(text);
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// The rows of a file sink: the lines of its parts that have their final names.
std::vector<std::string> rows_in(const fs::path& folder) {
  std::string all;
  if (fs::exists(folder))
    for (const auto& part : fs::directory_iterator(folder))
      if (!part.path().filename().string().starts_with(".")) all += read_file(part.path());
  return sorted_lines(all);
}

/// What is left of a changelog when everything retracted is gone.
std::map<std::string, int> net_rows(const std::vector<std::string>& changes) {
  std::map<std::string, int> rows;
  for (const std::string& change : changes) {
    const std::string row = change.substr(change.find(',') + 1);
    if ((rows[row] += change.starts_with(R"({"op":"+)") ? 1 : -1) == 0) rows.erase(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("a checkpoint of every format version is verified, shown, dumped and resumed") {
  const fs::path golden = source_tree() / "tests/program/golden";
  int versions = 0;
  for (const auto& version : fs::directory_iterator(golden)) {
    if (!version.is_directory()) continue;
    ++versions;
    INFO("format " << version.path().filename().string());
    const PipelineFolder job(read_file(golden / "pipeline.yaml"));
    fs::copy(version.path(), job / "", fs::copy_options::recursive);
    const std::string checkpoint = fs::directory_iterator(job / "checkpoints/golden")->path().string();

    CHECK(job.weir({"checkpoints", "verify", checkpoint}).exit_code == 0);
    const ProcessResult shown = job.weir({"checkpoints", "show", checkpoint, "--json"});
    CHECK(nlohmann::json::parse(shown.output) == nlohmann::json::parse(read_file(version.path() / "show.json")));
    const ProcessResult state = job.weir({"state", "dump", checkpoint, "--format", "json"});
    CHECK(sorted_lines(state.output) == sorted_lines(read_file(version.path() / "state.jsonl")));

    const ProcessResult resumed = job.run();
    INFO(resumed.errors);
    CHECK(resumed.exit_code == 0);
    int sinks = 0;
    for (const auto& expected : fs::directory_iterator(version.path() / "expected")) {
      INFO(expected.path().stem().string());
      const std::string sink = expected.path().stem().string();
      const std::vector<std::string> rows = rows_in(job / "out" / sink), wanted = sorted_lines(read_file(expected.path()));
      // Two tasks feed the groups: how their rows take turns shows in what comes and goes meanwhile.
      if (sink == "groups") CHECK(net_rows(rows) == net_rows(wanted));
      else CHECK(rows == wanted);
      ++sinks;
    }
    CHECK(sinks == 8);
  }
  CHECK(versions >= 1);
}

}  // namespace weir
