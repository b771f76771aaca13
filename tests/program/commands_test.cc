#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;

constexpr const char* kPipeline = R"(
name: example
connections: { main: { type: kafka, brokers: "localhost:9092" } }
sources:
  in: { type: kafka, connection: main, topic: orders, schema: { id: bigint not null, price: double, note: varchar }, on_error: emit }
steps:
  dear: { from: in, filter: "price > 100" }
  shown: { from: dear, select: { "*": { except: [note] }, twice: "price * 2" } }
  split: { from: shown, route: { even: "id % 2 = 0" } }
sinks:
  out: { from: split.even, type: kafka, connection: main, topic: dear, key: id }
  rest: { from: split.rest, type: discard }
  bad: { from: in.errors, type: console }
)";

ProcessResult weir(std::vector<std::string> arguments) { return run_weir(std::move(arguments)); }

}  // namespace

TEST_CASE("a wrong command line exits with 2 and says what is wrong") {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {"run"},
                                                       {"runn", "x"},
                                                       {"run", "x", "--nothing"},
                                                       {"run", "x", "y"},
                                                       {"checkpoints"},
                                                       {"--log-format", "xml", "functions"},
                                                       {"run", "x", "--verify", "a"},
                                                       {"explain"}};
  for (const auto& arguments : wrong) {
    const ProcessResult result = weir(arguments);
    CAPTURE(arguments);
    CHECK(result.exit_code == 2);
    CHECK(!result.errors.empty());
    CHECK(result.output.empty());
  }
}

TEST_CASE("a name that is nearly right gets the right one") {
  CHECK_THAT(weir({"runn", "x"}).errors, Contains("no command is named runn; did you mean run?"));
  CHECK_THAT(weir({"frobnicate"}).errors, Contains("no command is named frobnicate; `weir --help` lists them"));
  CHECK_THAT(weir({"components", "kafk"}).errors, Contains("no component is named kafk; did you mean kafka?"));
  CHECK_THAT(weir({"components", "protobuf"}).errors, Contains("protobuf is not supported yet"));
  CHECK_THAT(weir({"functions", "uper"}).errors, Contains("did you mean upper?"));
  CHECK_THAT(weir({"functions", "ifnull"}).errors, Contains("write coalesce(x, y)"));
  CHECK_THAT(weir({"eval", "select 1"}).errors, Contains("not a whole statement"));
}

TEST_CASE("what is wrong with a command line is said in one form, with the name that is meant") {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"run", "p.yaml", "--frsh"}, "weir: error: weir run has no option --frsh; did you mean --fresh?"},
      {{"run", "p.yaml", "-fresh"}, "weir: error: weir run has no option -fresh; did you mean --fresh?"},
      {{"run", "p.yaml", "--parallelism", "2"}, "weir: error: weir run has no option --parallelism; `weir run --help`"},
      {{"run", "p.yaml", "--stop-after", "5"}, "weir: error: --stop-after takes a duration like 30s or 5m, not 5"},
      {{"run", "p.yaml", "--from"}, "weir: error: --from needs a value"},
      {{"run", "p.yaml", "--drop-state", "--fresh"}, "weir: error: --drop-state: needs a value before --fresh"},
      {{"run", "p.yaml", "--from", "--copy"}, "weir: error: --from: needs a value before --copy"},
      {{"state", "dump", "c", "--key", "--limit", "1"}, "weir: error: --key: needs a value before --limit"},
      {{"run"}, "weir: error: weir run needs file: the pipeline file"},
      {{"run", "p.yaml", "q.yaml"}, "weir: error: weir run takes no further word: q.yaml"},
      {{"p.yaml"}, "weir: error: a command is missing; write weir run p.yaml"},
      {{"checkpoints", "lst"}, "weir: error: weir checkpoints has no command lst; did you mean list?"},
      {{"checkpoints"}, "weir: error: weir checkpoints needs a command: list, show, verify"},
      {{"--hlp"}, "weir: error: weir has no option --hlp; did you mean --help?"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProcessResult result = weir(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.errors.starts_with(message));
    CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
  }
  CHECK_THAT(weir({"run", "p.yaml", "--set", "connections.m.security.password", "hunter2"}).errors, !Contains("hunter2"));
}

TEST_CASE("a folder is no pipeline file") {
  const PipelineFolder folder("");
  const ProcessResult result = folder.weir({"validate", "."});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.errors, Contains(". is a folder"));
}

TEST_CASE("help and version are no errors") {
  CHECK(weir({"--version"}).exit_code == 0);
  CHECK_THAT(weir({"--version"}).output, Contains("weir "));
  CHECK_THAT(weir({"--help"}).output, Contains("run") && Contains("weir run orders.yaml"));
  CHECK_THAT(weir({"run", "--help"}).output, Contains("--fresh") && Contains("examples"));
}

TEST_CASE("a file that is not valid exits with 2, with all problems and their place, and is not run") {
  const PipelineFolder folder(R"(
sources: { in: { type: generator, rows: 10, select: { n: n } }, other: { type: generator, rowz: 10, select: { n: n } } }
steps: { half: { from: in, filter: "m > 1" } }
sinks: { out: { from: half, type: console }, more: { from: other, type: console } }
)");
  for (const char* command : {"run", "validate", "explain"}) {
    const ProcessResult result = folder.weir({command, "pipeline.yaml"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.errors, Contains("pipeline.yaml:4:") && Contains("rowz") && Contains("did you mean") &&
                                  Contains("pipeline.yaml:5:") && Contains("^"));
  }
  CHECK(!std::filesystem::exists(folder.checkpoints()));
  CHECK(folder.weir({"run", "nowhere.yaml"}).exit_code == 2);
  CHECK(folder.weir({"validate", "nowhere.yaml"}).exit_code == 2);
}

TEST_CASE("--set replaces a value of the file, and a wrong one is refused") {
  const PipelineFolder folder(R"(
sources: { in: { type: generator, rows: 10, select: { n: n } } }
sinks: { out: { from: in, type: console } }
)");
  const ProcessResult result = folder.run({"--set", "sources.in.rows=2"});
  CHECK(result.exit_code == 0);
  CHECK(result.output == "{\"n\":0}\n{\"n\":1}\n");
  const ProcessResult wrong = folder.run({"--set", "sources.in.rows=many"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.errors, Contains("--set"));
  CHECK(folder.run({"--set", "nothing"}).exit_code == 2);
}

TEST_CASE("validate contacts nothing and says that a file is valid") {
  const PipelineFolder folder(kPipeline);
  const ProcessResult result = folder.weir({"validate", "pipeline.yaml"});
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(result.output == "pipeline.yaml: valid\n");
  CHECK(folder.weir({"validate", "pipeline.yaml", "nowhere.yaml"}).exit_code == 2);
}

TEST_CASE("explain shows steps, schemas, tasks and guarantees as text") {
  const PipelineFolder folder(kPipeline);
  const ProcessResult result = folder.weir({"explain", "pipeline.yaml"});
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.output, Contains("source in (kafka)") && Contains("id bigint not null") &&
                                Contains("step shown (select)") && Contains("twice double") &&
                                Contains("sink out (kafka)") && Contains("at_least_once") && Contains("tasks"));
}

TEST_CASE("explain says what is exactly once and why, and warns once of what is not and of a source that reads too much") {
  const PipelineFolder folder(R"(name: mixed
connections: { main: { type: kafka, brokers: "nowhere:1" } }
sources: { in: { type: kafka, connection: main, topic: t, isolation: read_uncommitted, schema: { n: int } } }
sinks:
  once: { from: in, type: kafka, connection: main, topic: a, guarantee: exactly_once }
  again: { from: in, type: kafka, connection: main, topic: b, guarantee: at_least_once }
  forget: { from: in, type: kafka, connection: main, topic: c, guarantee: none }
  files: { from: in, type: file, path: parts, format: json }
)");
  const ProcessResult result = folder.weir({"explain", "pipeline.yaml"});
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.output, Contains("transactional ids weir-mixed-a and weir-mixed-b, marker in group weir-mixed") &&
                                Contains("exactly_once: one transaction commits its rows with the checkpoint") &&
                                Contains("exactly_once: its part files get their names when the checkpoint is committed") &&
                                Contains("at_least_once: all is acknowledged") && Contains("none: nothing is waited for"));
  const auto count = [&](std::string_view text) {
    std::size_t n = 0;
    for (auto at = result.errors.find(text); at != std::string::npos; at = result.errors.find(text, at + 1)) ++n;
    return n;
  };
  CHECK(count("warning:") == 2);
  CHECK(count("may have rows twice: again (at_least_once); may have rows twice or miss some: forget (none)") == 1);
  CHECK(count("source in reads rows of transactions that may be aborted") == 1);
}

TEST_CASE("explain --format json is an object with the graph") {
  const PipelineFolder folder(kPipeline);
  const json object = json::parse(folder.weir({"explain", "pipeline.yaml", "--format", "json"}).output);
  CHECK(object.at("job") == "example");
  std::map<std::string, json> components;
  for (const json& c : object.at("components")) components[c.at("name")] = c;
  REQUIRE(components.size() == 7);
  CHECK(components["in"].at("type") == "kafka");
  CHECK(components["shown"].at("outputs").at(0).at("columns").at(2).at("name") == "twice");
  CHECK(components["out"].at("inputs").at(0).at("from") == "split.even");
}

TEST_CASE("explain --format mermaid is a flowchart") {
  const PipelineFolder folder(kPipeline);
  const std::string chart = folder.weir({"explain", "pipeline.yaml", "--format", "mermaid"}).output;
  CHECK(lines_in(chart).front() == "flowchart LR");
  CHECK_THAT(chart, Contains("split") && Contains("even") && Contains("-->") && Contains("out<br/>kafka sink"));
}

TEST_CASE("eval prints a value and its type") {
  CHECK(weir({"eval", "1 + 1"}).output == "2 :: int\n");
  CHECK(weir({"eval", "upper('a') || 1"}).output == "A1 :: varchar\n");
  CHECK(weir({"eval", "null::date"}).output == "null :: date\n");
  CHECK(json::parse(weir({"eval", "0.1 + 0.2", "--json"}).output) ==
        json::parse(R"y({"type":"decimal(2,1)","value":0.3})y"));
  CHECK(json::parse(weir({"eval", "timestamp '2024-01-01' + interval '1 day'", "--json"}).output).at("value") ==
        "2024-01-02T00:00:00.000Z");
  const TemporaryFolder files;
  const std::string input = files.write("row.json", R"({"price": 2.5, "name": "x", "tags": null})");
  CHECK(weir({"eval", "price * 2", "--input", input}).output == "5 :: double\n");
  const std::string wide =
      files.write("wide.json", R"({"d": 12345678901234567890123, "e": -9223372036854775808, "f": 1e2})");
  CHECK(weir({"eval", "d + 1", "--input", wide}).output == "12345678901234567890124 :: decimal(38,0)\n");
  CHECK(weir({"eval", "e", "--input", wide}).output == "-9223372036854775808 :: bigint\n");
  CHECK(weir({"eval", "f", "--input", wide}).output == "100 :: double\n");
  const auto refusal = [&](const char* row) { return weir({"eval", "1", "--input", files.write("bad.json", row)}).errors; };
  CHECK_THAT(refusal(R"({"a": 1e400})"), Contains("bad.json: the number 1e400 does not fit double"));
  CHECK_THAT(refusal(R"({"a": [1, -1e999]})"), Contains("the number -1e999 does not fit double"));
  CHECK_THAT(refusal("[1]"), Contains("bad.json must hold one JSON object\n"));
  CHECK_THAT(refusal(R"({"a":})"), Contains("must hold one JSON object: it is not JSON at byte 6"));
  CHECK_THAT(weir({"eval", "price +", "--input", input}).errors, Contains("^"));
  CHECK(weir({"eval", "price +"}).exit_code == 2);
  CHECK_THAT(weir({"eval", "uper('a')"}).errors, Contains("upper"));
  CHECK(weir({"eval", "1 / 0"}).exit_code == 3);
}

TEST_CASE("eval shows the line with the problem, and where columns come from") {
  const std::string input = "hint: --input ROW.json gives a row with columns";
  CHECK_THAT(weir({"eval", "1 +\n  nn"}).errors, Contains("unknown column \"nn\"\n    nn\n    ^\n  " + input));
  CHECK_THAT(weir({"eval", "nn +\n  1"}).errors, Contains("unknown column \"nn\"\n  nn +\n  ^\n  " + input));
  CHECK_THAT(weir({"eval", "upper('é') || nn"}).errors, Contains("\n  upper('é') || nn\n                ^\n"));
  CHECK_THAT(weir({"eval", "upper('é') ||\n1 +"}).errors, Contains("\n  1 +\n     ^"));
  CHECK_THAT(weir({"eval", "uper('a')"}).errors, !Contains("--input"));
}

TEST_CASE("functions and components are references of what there is") {
  CHECK_THAT(weir({"functions"}).output, Contains("substring") && Contains("date_trunc") && Contains("coalesce"));
  CHECK_THAT(weir({"functions", "upper"}).output, Contains("upper(varchar)"));
  CHECK(weir({"functions", "uper"}).exit_code == 2);
  CHECK_THAT(weir({"components"}).output,
             Contains("kafka") && Contains("generator") && Contains("filter") && Contains("discard"));
  CHECK_THAT(weir({"components", "kafka"}).output,
             Contains("isolation") && Contains("read_committed") && Contains("key_format"));
  CHECK(weir({"components", "kafak"}).exit_code == 2);
}

TEST_CASE("schema is a JSON schema") {
  const json schema = json::parse(weir({"schema"}).output);
  CHECK(schema.contains("$schema"));
  CHECK(schema.at("properties").contains("sources"));
  CHECK(schema.at("properties").contains("checkpoint"));
}

TEST_CASE("what is not built yet is refused with its name") {
  for (const char* command : {"test", "doctor", "savepoint"}) {
    const ProcessResult result = weir({command, "x"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.errors, Contains(command) && Contains("not supported yet"));
  }
}

TEST_CASE("a command whose reader goes away ends without a word") {
  const PipelineFolder folder(R"y(
sources: { in: { type: generator, rows: 20000, select: { n: n } } }
steps: { each: { from: in, aggregate: { by: [n], select: { c: "count(*)" } } } }
sinks: { out: { from: each, type: discard } }
)y");
  const ProcessResult done = folder.run();
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  const std::string dump = "state dump '" + folder.newest().path.string() + "' | head -n 1",
                    functions = "functions | head -n 1", schema = "schema | true";
  for (const std::string& command : {dump, functions, schema}) {
    const ProcessResult result = run_process("/bin/sh", {"-c", "\"" + weir_program().string() + "\" " + command});
    INFO(command);
    CHECK(result.errors.empty());
    CHECK(result.exit_code == 0);
  }
}

}  // namespace weir
