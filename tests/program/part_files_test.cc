#include <catch2/catch.hpp>
#include <fstream>

#include "runtime/checkpoint/folder.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

const std::string kSource = "sources: { in: { type: generator, rows: 5, select: { n: n } } }\n";
const std::string kToFiles = kSource + "sinks: { out: { from: in, type: file, path: out, format: json } }\n";

/// Names of files, hidden or not, and what they hold.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(folder)) all[entry.path().filename().string()] = read_file(entry.path());
  return all;
}

/// Killed between the commit of its last checkpoint and the renaming of its part file, which is hidden still.
struct Killed : PipelineFolder {
  Killed() : PipelineFolder(kToFiles) {
    set("WEIR_CRASH_AT", "during-rename");
    REQUIRE(run().exit_code == 128 + SIGKILL);
    set("WEIR_CRASH_AT", "");
    REQUIRE(files_in(*this / "out").size() == 1);
    REQUIRE(files_in(*this / "out").begin()->first.front() == '.');
  }
  std::string last() const { return newest().path.string(); }
};

/// Puts other part files into a checkpoint's manifest, as somebody may who hands it out.
void change_parts(const fs::path& checkpoint, std::vector<PendingPart> parts) {
  Manifest m = read_checkpoint(checkpoint);
  m.parts = std::move(parts);
  std::ofstream(checkpoint / "manifest.json", std::ios::binary) << manifest_text(m);
}

}  // namespace

TEST_CASE("--copy renames no part file of the other job") {
  const std::string sinks = GENERATE(as<std::string>(), "sinks: { out: { from: in, type: discard } }",
                                     "sinks: { out: { from: in, type: file, path: out } }",
                                     "sinks: { out: { from: in, type: file, path: other } }");
  Killed folder;
  const auto before = files_in(folder / "out");
  folder.write("copy.yaml", "name: copy\ncheckpoint: { dir: checkpoints }\n" + kSource + sinks);
  const ProcessResult copy = folder.weir({"run", "copy.yaml", "--copy", "--from", folder.last()});
  INFO(copy.errors);
  CHECK(copy.exit_code == 0);
  CHECK(files_in(folder / "out") == before);
  CHECK(folder.run().exit_code == 0);  // the job itself still finds it
  CHECK(files_in(folder / "out").begin()->second == before.begin()->second);
  CHECK(files_in(folder / "out").begin()->first.front() == 'p');
}

TEST_CASE("--take-over ends the other job, also its parts: committed ones are published, unfinished ones deleted") {
  Killed folder;
  const std::string hidden = files_in(folder / "out").begin()->first;  // .weir.JOB.HOME.SINK.RUN.EPOCH.TASK.N.pending
  const std::string unfinished = hidden.substr(0, hidden.find(".out.")) + ".out.00000000000000aa.99.0.0.pending";
  const std::string stranger = ".weir.stranger.0a0b0c0d.out.00000000000000aa.99.0.0.pending";
  folder.write("out/" + unfinished, "{}\n");
  folder.write("out/" + stranger, "{}\n");
  folder.write("new.yaml", "name: new\ncheckpoint: { dir: checkpoints }\n" + kToFiles);
  const ProcessResult taken = folder.weir({"run", "new.yaml", "--take-over", "--continue", "--from", folder.last()});
  INFO(taken.errors);
  CHECK(taken.exit_code == 0);
  const auto files = files_in(folder / "out");
  CHECK(files.size() == 2);
  CHECK(files.contains(stranger));
  CHECK(std::any_of(files.begin(), files.end(), [](const auto& f) { return f.first.starts_with("part-"); }));
}

TEST_CASE("a checkpoint that names other files moves none of them") {
  Killed folder;
  const std::string victim = folder.write("victim", "precious").string(),
                    target = folder.write("target", "as precious").string();
  const std::string hidden = (folder / "out" / files_in(folder / "out").begin()->first).string();
  const PendingPart parts[] = {{victim, target}, {victim, (folder / "new").string()}, {hidden, target}, {victim, hidden}};
  change_parts(folder.last(), {parts[GENERATE(0, 1, 2, 3)]});
  const ProcessResult run = folder.run({"--from", folder.last()});
  INFO(run.errors);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("lists a part file") && Contains("no file sink of this file writes into its folder"));
  CHECK(read_file(victim) == "precious");
  CHECK(read_file(target) == "as precious");
}

TEST_CASE("hidden parts of a committed checkpoint get their names, also where the job begins anew") {
  Killed folder;
  const std::string rows = files_in(folder / "out").begin()->second;
  CHECK(folder.run({"--fresh"}).exit_code == 0);
  const auto files = files_in(folder / "out");
  REQUIRE(files.size() == 2);
  for (const auto& [name, text] : files) CHECK((name.front() == 'p' && text == rows));
}

TEST_CASE("a job whose folders were moved finds its last part files where they are now") {
  Killed folder;
  const std::string rows = files_in(folder / "out").begin()->second;
  fs::create_directory(folder / "moved");
  for (const char* name : {"out", "checkpoints", "pipeline.yaml"}) fs::rename(folder / name, folder / "moved" / name);
  const ProcessResult run = run_weir(
      {"run", "pipeline.yaml"}, {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "moved", .input = {}});
  INFO(run.errors);
  CHECK(run.exit_code == 0);
  REQUIRE(files_in(folder / "moved/out").size() == 1);
  CHECK(files_in(folder / "moved/out").begin()->first.front() == 'p');
  CHECK(files_in(folder / "moved/out").begin()->second == rows);
}

TEST_CASE("committed rows of a sink that the file no longer has are not forgotten") {
  Killed folder;
  folder.rewrite(kSource + "sinks: { out: { from: in, type: discard } }\n");
  const ProcessResult without = folder.run();
  CHECK(without.exit_code == 3);
  CHECK_THAT(without.errors, Contains("give that sink its path back"));
  folder.rewrite(kToFiles);
  CHECK(folder.run().exit_code == 0);
  CHECK(files_in(folder / "out").begin()->first.front() == 'p');
}

TEST_CASE("two jobs of one name with checkpoints of their own leave each other's parts alone") {
  PipelineFolder folder(
      "name: twin\ncheckpoint: { dir: \"${DIR}\", interval: 300ms }\nsources: { in: { type: generator, rows: 400, rate: "
      "400, select: { n: n } } }\n"
      "sinks: { out: { from: in, type: file, path: out, format: json } }\n");
  folder.set("DIR", "one");
  Process one = folder.start();
  one.wait_for_line("committed");
  folder.set("DIR", "two");
  Process two = folder.start();
  CHECK(one.wait() == 0);
  CHECK(two.wait() == 0);
  std::map<std::int64_t, int> rows;
  for (const auto& [name, text] : files_in(folder / "out"))
    for (const std::string& line : lines_in(text)) ++rows[member_n(line)];
  CHECK(rows.size() == 400);
  CHECK(std::all_of(rows.begin(), rows.end(), [](const auto& r) { return r.second == 2; }));
}

TEST_CASE("a file source reads no file that the checkpoint names and its path does not stand for") {
  const PipelineFolder folder(
      "sources: { in: { type: file, path: in, format: raw } }\nsinks: { out: { from: in, type: file, path: out } }\n");
  std::filesystem::create_directory(folder / "in");
  folder.write("in/a", "1\n2\n");
  const fs::path secret = folder.write("secret", "x\ny\n");
  REQUIRE(folder.run({"--stop-after", "0s"}).exit_code == 0);
  const fs::path checkpoint = folder.newest().path;
  Manifest m = read_checkpoint(checkpoint);
  m.finished = false;
  m.sources.at(0).splits.at(0).state = {.topic = secret.string(), .next = 0, .end = 4};
  std::ofstream(checkpoint / "manifest.json", std::ios::binary) << manifest_text(m);
  const ProcessResult run = folder.run();
  INFO(run.errors);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("which is none of those that path: in stands for") && Contains("--drop-state in"));
}

TEST_CASE("a checkpoint whose files are links is refused: they may lead anywhere") {
  const PipelineFolder folder(kSource +
                              "steps: { c: { from: in, aggregate: { by: [n], select: { c: \"count(*)\" } } } }\nsinks: { "
                              "out: { from: c, type: discard } }\n");
  REQUIRE(folder.run().exit_code == 0);
  const fs::path checkpoint = folder.newest().path;
  for (const auto& entry : fs::directory_iterator(checkpoint / "state")) {
    fs::rename(entry.path(), folder / "elsewhere");
    fs::create_symlink(folder / "elsewhere", entry.path());
    break;
  }
  const ProcessResult run = folder.run({"--continue"});
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("is not a file"));
}

}  // namespace weir
