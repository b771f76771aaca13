#include <catch2/catch.hpp>

#include <fstream>

#include "runtime/checkpoint/manifest.h"
#include "tests/support/pipeline_folder.h"
#include "tests/support/temporary_folder.h"

namespace weir {

using Catch::Matchers::Contains;

TEST_CASE("a checkpoint that holds a split twice is refused, and its source may be given up") {
  const PipelineFolder folder(R"(
sources: { in: { type: file, path: in, schema: { n: bigint } } }
sinks: { out: { from: in, type: discard } }
)");
  folder.write("in/a.jsonl", "{\"n\":1}\n");
  folder.write("in/b.jsonl", "{\"n\":2}\n");
  REQUIRE(folder.run().exit_code == 0);
  const std::filesystem::path file = folder.newest().path / "manifest.json";
  Manifest manifest = parse_manifest(read_file(file), file.string());
  auto& splits = manifest.sources.at(0).splits;
  REQUIRE(splits.size() == 2);
  splits.push_back(splits[0]);
  splits.back().state.next = 0;
  std::ofstream(file) << manifest_text(manifest);
  const ProcessResult refused = folder.run({"--continue"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors,
             Contains("a.jsonl-0 of source in twice") && Contains("--fresh") && Contains("positions: 8 and 0"));
  CHECK(folder.run({"--continue", "--drop-state", "in"}).exit_code == 0);
}

}  // namespace weir
