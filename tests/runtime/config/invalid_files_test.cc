#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "tests/pipelines/invalid_file.h"
#include "tests/runtime/config/sample_catalogue.h"

using namespace weir;

TEST_CASE("every invalid file causes exactly the messages that it names") {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(WEIR_TESTS_DIR "/pipelines/invalid"))
    paths.insert(entry.path().string());
  REQUIRE(paths.size() >= 60);
  for (const std::string& path : paths) {
    const InvalidFile file = read_invalid_file(path);
    if (file.needs_components) continue;
    ReadPipeline pipeline;
    pipeline.read(file.text, {}, file.name);
    INFO(file.name);
    CHECK_FALSE(file.expected.empty());
    CHECK(pipeline.diagnostics.has_errors());
    CHECK(as_expected(pipeline.messages(), file.name) == file.expected);
  }
}
