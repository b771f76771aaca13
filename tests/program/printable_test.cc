#include <catch2/catch.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {

using Catch::Matchers::Contains;

TEST_CASE("names and values from outside reach a terminal and the log without control characters") {
  const PipelineFolder folder(R"yaml(
sources: { in: { type: file, path: in, schema: { k: varchar } } }
steps: { counted: { from: in, aggregate: { by: [k], select: { n: "count(*)" } } } }
sinks: { out: { from: counted, type: file, path: out, changelog: append_op } }
)yaml");
  folder.write("in/a\x1b[2Jb.jsonl", R"({"k":"red\u001b[31m\u009b2J\u0007"})"
                                     "\n");
  REQUIRE(folder.run().exit_code == 0);
  const std::string checkpoint = folder.newest().path.string();
  const ProcessResult again = folder.run({"--continue"}), shown = folder.weir({"checkpoints", "show", checkpoint}),
                      rows = folder.weir({"state", "dump", checkpoint, "--format", "table"});
  CHECK_THAT(again.errors, Contains("in/a\\x1b[2Jb.jsonl"));
  CHECK_THAT(shown.output, Contains("in/a\\x1b[2Jb.jsonl"));
  CHECK_THAT(rows.output, Contains("red"));
  for (const std::string& text : {again.errors, shown.output, rows.output}) {
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\a') == std::string::npos);
    CHECK(text.find("\xc2\x9b") == std::string::npos);
  }
}

}  // namespace weir
