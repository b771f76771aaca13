#include <catch2/catch.hpp>
#include <filesystem>

#include "runtime/graph/graph.h"
#include "tests/pipelines/invalid_file.h"
#include "tests/support/source_tree.h"
#include "tools/weir/wiring.h"

using namespace weir;
namespace fs = std::filesystem;

TEST_CASE("every invalid file causes exactly its messages") {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source_tree() / "tests/pipelines/invalid")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  CHECK(files.size() >= 60);
  Components components;
  add_all_components(components);
  for (const fs::path& path : files) {
    const InvalidFile file = read_invalid_file(path.string());
    Diagnostics diagnostics;
    const ProcessEnvironment environment;
    const auto read = read_pipeline(std::make_shared<const SourceText>(file.name, file.text), {}, environment,
                                    components.catalogue(), diagnostics);
    if (read) build_graph(*read, components, diagnostics);
    INFO(file.name);
    CHECK(as_expected(diagnostics.format(), file.name) == file.expected);
  }
}
