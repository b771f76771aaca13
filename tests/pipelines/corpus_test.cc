#include <spdlog/spdlog.h>
#include <catch2/catch.hpp>

#include "tests/pipelines/run_case.h"

using namespace weir;
namespace fs = std::filesystem;

namespace {

/// expected.jsonl is for ${OUT} itself, expected.NAME.jsonl for the folder NAME in it.
CaseOutput expected_of(const fs::path& folder) {
  CaseOutput expected;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("expected.")) continue;
    const std::string rest = name.substr(9);  // `jsonl` or `NAME.jsonl`
    const std::size_t dot = rest.find('.');
    auto& lines = expected[dot == std::string::npos ? "" : rest.substr(0, dot)];
    lines = lines_of(entry.path());
  }
  return expected;
}

/// How many rows the sources emit: the lines of all input files, or what the file `rows` says where that is something else.
std::int64_t input_rows(const fs::path& folder) {
  if (fs::exists(folder / "rows")) return std::stoll(lines_of(folder / "rows").at(0));
  std::int64_t rows = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("input"))
      rows += static_cast<std::int64_t>(lines_of(entry.path()).size());
  return rows;
}

void sort_all(CaseOutput& output) {
  for (auto& [sink, lines] : output) std::sort(lines.begin(), lines.end());
  std::erase_if(output, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace

TEST_CASE("every pipeline of the corpus gives the expected rows in every way of running it") {
  spdlog::set_level(spdlog::level::warn);
  CHECK(case_folders("cases").size() >= 50);
  for (const fs::path& folder : case_folders("cases")) {
    const bool ordered = fs::exists(folder / "ordered");
    CaseOutput expected = expected_of(folder);
    if (!ordered) sort_all(expected);
    for (const Way& way : all_ways()) {
      INFO(folder.filename().string() << ", " << way.name);
      CaseOutput output;
      try {
        output = run_case(folder, way, input_rows(folder));
      } catch (const std::exception& e) {
        FAIL_CHECK(e.what());
        continue;
      }
      if (!ordered) sort_all(output);
      for (const auto& [sink, lines] : expected) output.try_emplace(sink);
      for (const auto& [sink, lines] : output)
        if (const auto& wanted = expected[sink]; lines != wanted)
          FAIL_CHECK("sink " << (sink.empty() ? "of ${OUT}" : sink) << ": " << first_difference(lines, wanted));
    }
  }
}
