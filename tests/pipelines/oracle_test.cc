#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "runtime/base/time.h"
#include "runtime/expr/parse_value.h"
#include "tests/pipelines/run_case.h"

// Windows, sessions, aggregates and deduplication as another engine (Apache Flink SQL) computes them, see oracle/README.md.

using namespace weir;
namespace fs = std::filesystem;

namespace {

using nlohmann::json;
using Line = std::vector<std::pair<std::string, std::string>>;

/// A value in one form for both engines: points in time in ISO form, numbers with at most 14 digits.
std::string normal(const json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::int64_t micros = 0;
  if (value.is_string() && text.size() >= 19 && parse_timestamp(text, micros) == ParseStatus::kOk) return format_iso({micros});
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0') return fmt::format("{:.14g}", number + 0.0);  // no -0
  return value.is_string() ? "'" + text + "'" : text;
}

/// Lines with fields in the order of their names, sorted.
std::vector<std::string> normal(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    const json object = json::parse(line);  // sorts by name
    std::string row;
    for (const auto& [name, value] : object.items()) row += name + "=" + normal(value) + " ";
    out.push_back(std::move(row));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("windows, sessions and deduplication give the reference's results in every way of running them") {
  spdlog::set_level(spdlog::level::warn);
  const std::vector<fs::path> folders = case_folders("oracle");
  CHECK(folders.size() >= 30);
  for (const fs::path& folder : folders) {
    const std::vector<std::string> expected = normal(lines_of(folder / "expected.jsonl"));
    for (const Way& way : all_ways()) {
      INFO(folder.filename().string() << ", " << way.name);
      try {
        CaseOutput output = run_case(folder, way, static_cast<std::int64_t>(lines_of(folder / "input.jsonl").size()));
        CHECK(normal(output[""]) == expected);
      } catch (const std::exception& e) {
        FAIL_CHECK(e.what());
      }
    }
  }
}
