#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

/// A finished job whose step `counted` has a group for each of these rows.
class Groups : public PipelineFolder {
 public:
  explicit Groups(const std::string& rows)
      : PipelineFolder(R"yaml(
name: "${JOB}"
parallelism: 1
checkpoint: { dir: checkpoints, interval: 1h }
sources:
  in:
    type: file
    path: in.json
    schema: { k: varchar, n: bigint, d: "decimal(38,0)", p: "decimal(10,2)", f: double, i: interval, t: timestamp, day: date, b: boolean, raw: bytea, big: json }
steps:
  counted: { from: in, aggregate: { by: [k, n, d, p, f, i, t, day, b, raw], select: { s: "sum(n)", big: "max(big::varchar)::json" } } }
sinks: { out: { from: counted, type: discard } }
)yaml") {
    write("in.json", rows);
    const ProcessResult end = run();
    INFO(end.errors);
    REQUIRE(end.exit_code == 0);
    checkpoint = newest().path;
  }

  ProcessResult dump(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"state", "dump", checkpoint.string(), "--step", "counted"});
    return weir(std::move(arguments));
  }
  /// The columns `k` of the rows with that key.
  std::vector<std::string> found(const std::string& key) const {
    const ProcessResult end = dump({"--key", key});
    INFO(key << end.errors);
    CHECK(end.exit_code == 0);
    std::vector<std::string> names;
    for (const std::string& line : lines_in(end.output)) names.push_back(json::parse(line)["key"]["k"]);
    return names;
  }
  std::string refused(const std::string& key) const {
    const ProcessResult end = dump({"--key", key});
    INFO(key << end.output);
    CHECK(end.exit_code == 2);
    CHECK(end.output.empty());
    return end.errors;
  }

  fs::path checkpoint;
};

const std::string kRows =
    R"({"k":"a","n":9223372036854775807,"d":12345678901234567890123,"p":1.50,"f":0.5,"i":"90 min","t":"2024-01-01T00:00:00Z","day":"2024-02-29","b":true,"raw":"AAE="})"
    "\n"
    R"({"k":"a","n":9223372036854775807,"d":12345678901234567890123,"p":1.50,"f":0.5,"i":"90 min","t":"2024-01-01T00:00:00Z","day":"2024-02-29","b":true,"raw":"AAE="})"
    "\n"
    R"({"k":"b","n":2,"d":12345678901234567890124,"p":-3,"f":1e300,"i":"1 day","t":"2024-01-01T00:00:00.000001Z","day":"2024-03-01","b":false,"raw":"AAI="})"
    "\n";

}  // namespace

TEST_CASE("state is printed with all digits, and keys are told apart by them") {
  const Groups groups(kRows);
  const std::string rows = groups.dump().output;
  CHECK_THAT(rows,
             Contains("\"d\":12345678901234567890123,\"p\":1.5,") && Contains("\"d\":12345678901234567890124,\"p\":-3,"));
  CHECK_THAT(rows, Contains("\"s\":18446744073709551614,"));
  CHECK_THAT(groups.dump({"--format", "csv"}).output,
             Contains("12345678901234567890123") && Contains("18446744073709551614"));
  CHECK_THAT(groups.dump({"--format", "table"}).output, Contains("12345678901234567890124"));
  CHECK(groups.found(R"({"d":12345678901234567890124})") == std::vector<std::string>{"b"});
}

TEST_CASE("state diff tells sums apart that are equal as doubles") {
  PipelineFolder folder(R"yaml(
name: "${JOB}"
parallelism: 1
checkpoint: { dir: checkpoints, interval: 1h }
sources: { in: { type: file, path: "in-*.json", schema: { n: bigint } } }
steps: { total: { from: in, aggregate: { select: { s: "sum(n)" } } } }
sinks: { out: { from: total, type: discard } }
)yaml");
  const std::string large = "{\"n\":9223372036854775807}\n";
  folder.write("in-1.json", large + large + large);
  REQUIRE(folder.run().exit_code == 0);
  const fs::path before = folder.newest().path;
  folder.write("in-2.json", "{\"n\":1}\n");
  REQUIRE(folder.run({"--continue"}).exit_code == 0);
  const ProcessResult diff = folder.weir({"state", "diff", before.string(), folder.newest().path.string()});
  CHECK_THAT(diff.output, Contains("s 27670116110564327421 -> 27670116110564327422"));
}

TEST_CASE("a key is found however its values are written") {
  const Groups groups(kRows);
  const auto a = std::vector<std::string>{"a"}, b = std::vector<std::string>{"b"};
  for (const char* t : {R"("2024-01-01T00:00:00Z")", R"("2024-01-01T00:00:00.000Z")", R"("2024-01-01 00:00:00")",
                        R"("2024-01-01T01:00:00+01:00")", "1704067200000", "1704067200"})
    CHECK(groups.found(R"({"t":)" + std::string(t) + "}") == a);
  for (const char* i : {"90 min", "01:30:00", "1.5 hours", "PT1H30M"})
    CHECK(groups.found(R"({"i":")" + std::string(i) + "\"}") == a);
  for (const char* n : {"2", "2.0", "2e0", "\"2\""}) CHECK(groups.found(R"({"n":)" + std::string(n) + "}") == b);
  for (const char* p : {"1.5", "1.50", "\"1.5\"", "15e-1"}) CHECK(groups.found(R"({"p":)" + std::string(p) + "}") == a);
  for (const char* f : {"0.5", "5e-1", "0.50"}) CHECK(groups.found(R"({"f":)" + std::string(f) + "}") == a);
  CHECK(groups.found(R"({"day":"2024-03-01","b":false})") == b);
  CHECK(groups.found(R"({"raw":"AAI="})") == b);
  CHECK(groups.found(R"({"b":true,"k":"\u0061"})") == a);
  CHECK(groups.found("{}").size() == 2);
}

TEST_CASE("a value that is none of the key's type is refused with column, type and value") {
  const Groups groups(kRows);
  CHECK_THAT(groups.refused(R"({"d":"abc"})"),
             Contains("counted") && Contains("field d: expected decimal(38,0)") && Contains("abc"));
  CHECK_THAT(groups.refused(R"({"day":"2024-02-30"})"), Contains("field day: expected date") && Contains("2024-02-30"));
  CHECK_THAT(groups.refused(R"({"b":1})"), Contains("field b: expected boolean") && Contains("number 1"));
  CHECK_THAT(groups.refused(R"({"n":1.5})"), Contains("field n") && Contains("1.5") && Contains("bigint"));
  CHECK_THAT(groups.refused(R"({"K":"a"})"),
             Contains("no key has a member K; keys: counted groups (k varchar, n bigint, d decimal(38,0)"));
  CHECK_THAT(groups.refused(R"({"k":"a"} x)"), Contains("JSON object"));
  for (const char* k : {"7", "true", "{}", "[\"a\"]"})
    CHECK_THAT(groups.refused(R"({"k":)" + std::string(k) + "}"),
               Contains("field k: expected varchar, a text in double quotes") &&
                   Contains("keys: counted groups (k varchar, n bigint, d decimal(38,0)"));
  CHECK_THAT(groups.refused(R"({"n":"x"})"), Contains("keys: counted groups (k varchar, n bigint"));
  const ProcessResult apart =
      groups.weir({"state", "dump", groups.checkpoint.string(), "--key", R"({"k":"a","partition":0})"});
  CHECK(apart.exit_code == 2);
  CHECK_THAT(apart.errors, Contains("no key has all members of") && Contains("in splits (topic varchar, partition int)"));
}

TEST_CASE("that no row has a key is said beside the output") {
  const Groups groups(kRows);
  const ProcessResult none = groups.dump({"--key", R"({"n":7})"});
  CHECK(none.exit_code == 0);
  CHECK(none.output.empty());
  CHECK_THAT(none.errors, Contains("no row has the key {\"n\":7}"));
  CHECK(groups.dump({"--key", R"({"n":2})"}).errors.empty());
  CHECK(groups.dump({"--key", R"({"n":2})", "--limit", "0"}).errors.empty());
}

TEST_CASE("a damaged checkpoint is not taken for an empty one") {
  const Groups groups(kRows);
  const fs::path whole = groups.checkpoint, copy = groups / "copy";
  const auto damaged = [&](const std::string& name, const std::function<void(const fs::path&)>& damage) {
    fs::remove_all(copy);
    fs::copy(whole, copy, fs::copy_options::recursive);
    for (const auto& file : fs::directory_iterator(copy / "state"))
      if (file.path().filename().string().find(name) != std::string::npos) damage(file.path());
    for (const auto& arguments : {std::vector<std::string>{"state", "dump", copy.string()},
                                  {"state", "diff", copy.string(), whole.string()},
                                  {"state", "diff", whole.string(), copy.string()}}) {
      const ProcessResult end = groups.weir(arguments);
      INFO(name << end.errors);
      CHECK(end.exit_code == 3);
      CHECK(end.output.empty());
      CHECK_THAT(end.errors, Contains("state/") && Contains(name) && Contains("weir checkpoints verify " + copy.string()));
    }
    return groups.weir({"state", "dump", copy.string()}).errors;
  };
  const auto cut = [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); };
  const auto overwritten = [](const fs::path& file) {
    const auto size = fs::file_size(file);
    fs::resize_file(file, size / 2);
    fs::resize_file(file, size);
  };
  const auto gone = [](const fs::path& file) { fs::remove(file); };
  CHECK_THAT(damaged("MANIFEST", cut), Contains(" bytes, expected "));
  CHECK_THAT(damaged("MANIFEST", overwritten), Contains("was changed"));
  CHECK_THAT(damaged("CURRENT", cut), Contains("CURRENT has 8 bytes, expected 16"));
  CHECK_THAT(damaged("CURRENT", overwritten), Contains("was changed"));
  for (const char* name : {"MANIFEST", "CURRENT", ".sst"}) CHECK_THAT(damaged(name, gone), Contains("is missing"));
  CHECK_THAT(damaged(".sst", cut), Contains(" bytes, expected "));
}

TEST_CASE("a claim that gave up a step's state shows none of it") {
  PipelineFolder folder(R"yaml(
name: "${JOB}"
parallelism: 1
checkpoint: { dir: checkpoints, interval: 1h }
sources: { in: { type: file, path: "in-*.json", schema: { n: bigint } } }
steps:
  total: { from: in, aggregate: { by: [n], select: { s: "sum(n)" } } }
  kept: { from: in, aggregate: { by: [n], select: { s: "sum(n)" } } }
sinks: { out: { from: total, type: discard }, other: { from: kept, type: discard } }
)yaml");
  folder.write("in-1.json", "{\"n\":1}\n{\"n\":2}\n");
  REQUIRE(folder.run().exit_code == 0);
  const fs::path before = folder.newest().path;
  folder.set("WEIR_CRASH_AT", "during-restore");  // behind the claim
  folder.run({"--continue", "--drop-state", "total"});
  const std::string claim = folder.newest().path.string();
  const auto tables = json::parse(folder.weir({"state", "ls", claim, "--json"}).output);
  REQUIRE(tables.size() == 3);
  CHECK(tables[0]["step"] == "in");
  CHECK(tables[1]["step"] == "total");
  CHECK(tables[1]["rows"] == 0);
  CHECK(tables[2]["rows"] == 2);
  CHECK(json::parse(
            folder.weir({"checkpoints", "show", claim, "--json"}).output)["steps"]["total"]["tables"]["groups"]["rows"] ==
        0);
  const ProcessResult dumped = folder.weir({"state", "dump", claim, "--step", "total"});
  CHECK(dumped.exit_code == 0);
  CHECK(dumped.output.empty());
  CHECK(lines_in(folder.weir({"state", "dump", claim, "--step", "kept"}).output).size() == 2);
  const std::string diff = folder.weir({"state", "diff", before.string(), claim}).output;
  CHECK_THAT(diff,
             Contains("- total groups {\"n\":1} {\"s\":1,") && Contains("- total groups {\"n\":2}") && !Contains("kept"));
}

TEST_CASE("state ls --json lists tables with rows, bytes and schema") {
  const Groups groups(kRows);
  const auto tables = json::parse(groups.weir({"state", "ls", groups.checkpoint.string(), "--json"}).output);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0] == json::parse(R"({"step":"in","table":"splits","rows":1})"));
  CHECK(tables[1]["table"] == "groups");
  CHECK(tables[1]["rows"] == 2);
  CHECK(tables[1]["bytes"].get<std::uint64_t>() > 0);
  CHECK_THAT(tables[1]["schema"].get<std::string>(), Contains("\"d\" decimal(38,0)"));
}

TEST_CASE("a bad --limit is refused in few words") {
  const Groups groups(kRows);
  for (const char* limit : {"-1", "x", "1.5", "99999999999999999999"}) {
    const ProcessResult end = groups.dump({"--limit", limit});
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.errors, Contains("--limit: takes a number of rows, 0 or more; given: " + std::string(limit)));
    CHECK(end.errors.size() < 200);
  }
  CHECK(lines_in(groups.dump({"--limit", "18446744073709551615"}).output).size() == 2);
}

TEST_CASE("every command's help shows examples of that command") {
  const PipelineFolder folder("sources: {}\n");
  for (const std::string command :
       {"run", "validate", "explain", "eval", "components", "functions", "schema", "checkpoints", "checkpoints list",
        "checkpoints show", "checkpoints verify", "state", "state ls", "state dump", "state diff"}) {
    std::vector<std::string> words{"--help"};
    const std::size_t blank = command.find(' ');
    if (blank != std::string::npos) words.insert(words.begin(), command.substr(blank + 1));
    words.insert(words.begin(), command.substr(0, blank));
    const std::string help = folder.weir(words).output;
    INFO(help);
    const std::size_t examples = help.find("examples:");
    REQUIRE(examples != std::string::npos);
    for (const std::string& line : lines_in(std::string_view(help).substr(examples)))
      if (line.find("weir") != std::string::npos) CHECK_THAT(line, Catch::Matchers::StartsWith("  weir " + command));
  }
}

}  // namespace weir
