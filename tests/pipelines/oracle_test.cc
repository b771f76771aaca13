#include <spdlog/spdlog.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/base/time.h"
#include "runtime/expr/text/parse_value.h"
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
  if (value.is_string() && text.size() >= 19 && parse_timestamp(text, micros) == ParseStatus::kOk)
    return format_iso({micros});
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

/// What is left of a changelog: each row as often as it came minus as often as it went.
std::vector<std::string> materialised(const std::vector<std::string>& lines) {
  std::map<std::string, int> count;
  for (const std::string& line : lines) {
    json object = json::parse(line);
    const std::string op = object.at("op").get<std::string>();
    object.erase("op");
    count[object.dump()] += op.starts_with('+') ? 1 : -1;
  }
  std::vector<std::string> left;
  for (const auto& [row, n] : count) {
    if (n < 0) left.push_back(R"({"taken back before it came":)" + row + "}");
    for (int i = 0; i < n; ++i) left.push_back(row);
  }
  return left;
}

void check_rows(const std::vector<std::string>& lines, const fs::path& expected) {
  const std::vector<std::string> found = normal(lines), wanted = normal(lines_of(expected));
  if (found != wanted) FAIL_CHECK(expected.filename().string() << ": " << first_difference(found, wanted));
}

/// `expected.jsonl` are the rows or the changes that come out, `final.jsonl` is the table after all changes. A case may have
/// both.
void check_output(const fs::path& folder, const std::vector<std::string>& lines) {
  if (fs::exists(folder / "final.jsonl")) check_rows(materialised(lines), folder / "final.jsonl");
  if (fs::exists(folder / "expected.jsonl")) check_rows(lines, folder / "expected.jsonl");
}

/// Runs every case of a corpus in every way. `input` is relative to a case's folder.
void check_corpus(const std::string& corpus, const std::string& input) {
  spdlog::set_level(spdlog::level::warn);
  for (const fs::path& folder : case_folders(corpus)) {
    for (const Way& way : all_ways()) {
      INFO(folder.filename().string() << ", " << way.name);
      try {
        CaseOutput output = run_case(folder, way, static_cast<std::int64_t>(lines_of(folder / input).size()));
        check_output(folder, output[""]);
      } catch (const std::exception& e) {
        FAIL_CHECK(e.what());
      }
    }
  }
}

}  // namespace

TEST_CASE("windows, sessions, aggregates and deduplication give the reference's results in every way of running them") {
  CHECK(case_folders("oracle").size() >= 35);
  check_corpus("oracle", "input.jsonl");
}

TEST_CASE("the Nexmark queries give what a program of their own computes, in every way of running them") {
  CHECK(case_folders("nexmark").size() == 14);
  check_corpus("nexmark", "../events.jsonl");
}
