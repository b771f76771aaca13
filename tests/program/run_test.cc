#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
namespace fs = std::filesystem;

/// An unbounded job that writes files.
constexpr const char* kEndless = R"(
name: "${JOB}"
checkpoint: { dir: checkpoints, interval: 50ms, retain: 2 }
sources: { in: { type: generator, rate: 2000, select: { n: n } } }
sinks: { out: { from: in, type: file, path: out, format: json } }
)";

std::string bounded(int rows) {
  return "sources: { in: { type: generator, rows: " + std::to_string(rows) + R"(, select: { n: n } } }
sinks: { out: { from: in, type: file, path: out, format: json } }
)";
}

/// The rows in the parts of `out`, in the order of their names.
std::vector<std::int64_t> rows_in(const PipelineFolder& folder) {
  std::vector<fs::path> parts;
  if (fs::exists(folder / "out"))
    for (const auto& entry : fs::directory_iterator(folder / "out"))
      if (!entry.path().filename().string().starts_with(".")) parts.push_back(entry.path());
  std::sort(parts.begin(), parts.end());
  std::vector<std::int64_t> numbers;
  for (const fs::path& part : parts)
    for (const std::string& line : lines_in(read_file(part))) numbers.push_back(member_n(line));
  return numbers;
}

bool counts_up_from_zero(const std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

}  // namespace

TEST_CASE("files hold every row once, however often the job is killed") {
  PipelineFolder folder(kEndless);
  folder.start_and_kill(5, milliseconds(37));
  const ProcessResult last = folder.run({"--stop-after", "300ms"});
  INFO(last.errors);
  CHECK(last.exit_code == 0);
  const std::vector<std::int64_t> rows = rows_in(folder);
  CHECK(counts_up_from_zero(rows));
  CHECK(static_cast<std::int64_t>(rows.size()) == folder.positions().at(0));
  for (const auto& entry : fs::recursive_directory_iterator(folder / "out"))
    CHECK_THAT(entry.path().filename().string(), !Contains("pending"));
}

TEST_CASE("a second process on the same checkpoints is refused and names the first") {
  const PipelineFolder folder(kEndless);
  Process first = folder.start();
  first.wait_for_line("running");
  const ProcessResult second = folder.run();
  CHECK(second.exit_code == 3);
  CHECK_THAT(second.errors, Contains("another process runs this job") && Contains(std::to_string(first.pid())));
  CHECK(first.running());
  first.signal(SIGTERM);
  CHECK(first.wait() == 143);
}

TEST_CASE("a torn checkpoint is refused, and nothing is touched") {
  const PipelineFolder folder(bounded(10));
  REQUIRE(folder.run().exit_code == 0);
  const fs::path manifest = folder.newest().path / "manifest.json";
  const std::string what = GENERATE("cut", "changed", "gone");
  const std::string text = read_file(manifest);
  if (what == "gone") fs::remove(manifest);
  else
    std::ofstream(manifest) << (what == "cut" ? text.substr(0, text.size() / 2)
                                              : text.substr(0, text.find("10")) + "11" + text.substr(text.find("10") + 2));
  const ProcessResult result = folder.run({"--continue"});
  INFO(result.errors);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("chk-000002"));
  CHECK(fs::exists(manifest.parent_path()));
  CHECK(!fs::exists(folder.checkpoints() / "chk-000003"));
  const ProcessResult fresh = folder.run({"--fresh"});
  INFO(fresh.errors);
  CHECK(fresh.exit_code == 0);
}

TEST_CASE("a checkpoint folder that cannot be made or written is a clear error at once") {
  const PipelineFolder folder(bounded(10));
  SECTION("a file is in the way") { folder.write("checkpoints", "a file"); }
  SECTION("it lies in a file system that takes nothing") { fs::create_symlink("/sys/kernel", folder / "checkpoints"); }
  const ProcessResult result = folder.run({}, seconds(20));
  INFO(result.errors);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("cannot") && Contains("checkpoints"));
}

TEST_CASE("a folder where nothing can be made is the user's error at once, wherever it is named") {
  const std::string path = GENERATE("/proc/there", "/dev/null", "/dev/null/there", "/proc/self", "broken");
  const bool is_sink = GENERATE(true, false);
  PipelineFolder folder(is_sink ? "sources: { in: { type: generator, rows: 10, select: { n: n } } }\nsinks: { out: { from: "
                                  "in, type: file, path: " +
                                      path + " } }\n"
                                : "name: \"${JOB}\"\ncheckpoint: { dir: " + path + " }\n" + bounded(10));
  fs::create_symlink(folder / "not/there", folder / "broken");
  const ProcessResult result = folder.run({}, seconds(20));
  INFO(path << is_sink << result.errors);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains(path) && !Contains("restart"));
}

TEST_CASE("when its checkpoints are deleted while it runs, a job takes new ones and keeps others out") {
  const PipelineFolder folder(kEndless);
  Process process = folder.start();
  process.wait_for_line("checkpoint 5 committed");
  fs::remove_all(folder.checkpoints());
  process.wait_for_line("checkpoint 12 committed");
  CHECK(folder.run().exit_code == 3);
  process.kill();
  CHECK(folder.newest().id >= 12);
  CHECK(folder.run({"--stop-after", "100ms"}).exit_code == 0);
  CHECK(counts_up_from_zero(rows_in(folder)));
}

TEST_CASE("part files that their reader took away do not keep a job from starting") {
  const PipelineFolder folder(kEndless);
  REQUIRE(folder.run({"--stop-after", "200ms"}).exit_code == 0);
  const std::int64_t taken = folder.positions().at(0);
  fs::remove_all(folder / "out");
  const ProcessResult result = folder.run({"--stop-after", "200ms"}, seconds(10));
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(rows_in(folder).front() == taken);
}

TEST_CASE("only `retain` checkpoints are kept, and claims when they are the newest") {
  const PipelineFolder folder(kEndless);
  const ProcessResult first = folder.run({"--stop-after", "800ms"});
  INFO(first.errors);
  REQUIRE(first.exit_code == 0);
  std::vector<ListedCheckpoint> kept = folder.list();
  CHECK(kept.size() == 2);
  CHECK(kept.back().id > 5);
  CHECK(kept.front().id == kept.back().id - 1);
  // Starts that come no further than their claim cost no history.
  for (int i = 0; i < 3; ++i) {
    Process process = folder.start();
    process.wait_for_line("claimed");
    process.kill();
  }
  const std::vector<ListedCheckpoint> later = folder.list();
  for (const ListedCheckpoint& c : kept) {
    const bool there =
        std::any_of(later.begin(), later.end(), [&](const auto& l) { return l.id == c.id && l.run == c.run; });
    const bool replaced =
        later.back().id > kept.back().id + 3 + 1;  // a checkpoint was taken before a kill: the history moved on
    CHECK((there || replaced));
  }
}

TEST_CASE("with interval 0 there is a claim and a last checkpoint, and a killed job begins at the claim") {
  PipelineFolder folder(R"(
name: "${JOB}"
checkpoint: { dir: checkpoints, interval: 0 }
sources: { in: { type: generator, rate: 2000, select: { n: n } } }
sinks: { out: { from: in, type: file, path: out, format: json } }
)");
  {
    Process process = folder.start();
    process.wait_for_line("running");
    std::this_thread::sleep_for(milliseconds(300));
    CHECK(folder.newest().id == 1);
    process.kill();
  }
  CHECK(folder.run({"--stop-after", "300ms"}).exit_code == 0);
  CHECK(folder.newest().id == 3);
  CHECK(counts_up_from_zero(rows_in(folder)));
}

TEST_CASE("numbers of checkpoints are never used again") {
  const PipelineFolder folder(bounded(10));
  std::set<std::string> runs;
  std::int64_t last = 0;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--fresh"}, {"--continue"}, {"--fresh"}, {"--from", "1"}}) {
    std::vector<std::string> given = arguments;
    if (given.size() == 2) given[1] = folder.newest().path;
    if (!given.empty() && given[0] == "--from") given.push_back("--continue");
    const ProcessResult result = folder.run(given);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const ListedCheckpoint newest = folder.newest();
    CHECK(newest.id > last);
    CHECK(runs.insert(newest.run).second);
    last = newest.id;
  }
}

TEST_CASE("a job does not restore a checkpoint of another, unless it is told to copy it") {
  const PipelineFolder one(bounded(10)), other(bounded(15));
  REQUIRE(one.run().exit_code == 0);
  const std::string from = one.newest().path;
  const ProcessResult refused = other.run({"--from", from});
  INFO(refused.errors);
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("--copy") && Contains(one.job()));
  const ProcessResult copied = other.run({"--from", from, "--copy", "--continue"});
  INFO(copied.errors);
  CHECK(copied.exit_code == 0);
  CHECK(rows_in(other) == std::vector<std::int64_t>{10, 11, 12, 13, 14});
}

TEST_CASE("a source that is gone from the file is refused, and --drop-state gives it up") {
  PipelineFolder folder(bounded(10));
  REQUIRE(folder.run().exit_code == 0);
  folder.rewrite(R"(
sources: { other: { type: generator, rows: 3, select: { n: n } } }
sinks: { out: { from: other, type: file, path: out, format: json } }
)");
  const ProcessResult refused = folder.run({"--continue"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("source in") && Contains("--drop-state in"));
  const ProcessResult dropped = folder.run({"--continue", "--drop-state", "in"});
  INFO(dropped.errors);
  CHECK(dropped.exit_code == 0);
  CHECK(rows_in(folder).size() == 13);
}

TEST_CASE("with --log-format json every line on stderr is an object, errors too") {
  const PipelineFolder folder(bounded(10));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {}, {"--from", "nowhere"}}) {
    std::vector<std::string> given = arguments;
    given.insert(given.end(), {"--log-format", "json"});
    const ProcessResult result = folder.run(given);
    const std::vector<std::string> lines = lines_in(result.errors);
    CHECK(!lines.empty());
    for (const std::string& line : lines) {
      INFO(line);
      const json object = json::parse(line, nullptr, false);
      REQUIRE(object.is_object());
      CHECK(object.contains("time"));
      CHECK(object.contains("level"));
      CHECK(object.contains("message"));
    }
  }
}

TEST_CASE("the log has the lines that scripts wait for") {
  const PipelineFolder folder(kEndless);
  {
    Process process = folder.start();
    process.wait_for_line("running");
    process.wait_for_line("checkpoint 2 committed");
    process.signal(SIGINT);
    CHECK(process.wait() == 130);
    process.wait_for_line("stopped");
    CHECK(process.output().empty());  // stdout is for rows
  }
  const std::int64_t newest = folder.newest().id;
  const ProcessResult again = folder.run({"--stop-after", "200ms"});
  CHECK_THAT(again.errors, Contains("restored checkpoint " + std::to_string(newest)) && Contains("stopped"));
}

TEST_CASE("--quiet leaves out progress, and what scripts wait for stays") {
  const PipelineFolder folder(bounded(10));
  const ProcessResult result = folder.run({"--quiet"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.errors, Contains("checkpoint 2 committed"));
}

TEST_CASE("rows come from standard input and go to standard output") {
  const TemporaryFolder files;
  const std::string file = files.write("pipe.yaml", R"(
name: pipe
checkpoint: { dir: ")" + files.path().string() + R"(" }
sources: { in: { type: stdin, schema: { n: bigint, s: varchar } } }
steps: { odd: { from: in, filter: "n % 2 = 1" } }
sinks: { out: { from: odd, type: console } }
)");
  const std::string input = "{\"n\":1,\"s\":\"a\"}\n{\"n\":2}\n{\"n\":3,\"s\":null}";  // no newline at the end
  const ProcessResult first = run_weir({"run", file}, {.environment = {}, .working_folder = {}, .input = input});
  CHECK(first.exit_code == 0);
  CHECK(first.output == "{\"n\":1,\"s\":\"a\"}\n{\"n\":3,\"s\":null}\n");
  CHECK_THAT(first.errors, !Contains("begins anew"));
  const ProcessResult again = run_weir({"run", file}, {.environment = {}, .working_folder = {}, .input = input});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.errors, Contains("the job begins anew, without the state of checkpoint 2") && Contains("--continue"));
  CHECK(again.output == first.output);
  const ProcessResult fresh =
      run_weir({"run", file, "--fresh"}, {.environment = {}, .working_folder = {}, .input = "{\"n\":5}\n"});
  CHECK(fresh.exit_code == 0);
  CHECK(fresh.output == "{\"n\":5,\"s\":null}\n");
  CHECK_THAT(fresh.errors, !Contains("begins anew"));
}

namespace {

/// Sums of numbers, each a row of its own; `source` reads them.
struct Sums : PipelineFolder {
  explicit Sums(const std::string& sources = "in: { type: stdin, schema: { n: bigint } }")
      : PipelineFolder("name: \"${JOB}\"\nparallelism: 1\ncheckpoint: { dir: checkpoints, interval: 1h }\nsources: { " +
                       sources + R"y( }
steps: { total: { from: in, aggregate: { select: { s: "sum(n)" } } } }
sinks:
  out: { from: total, type: console, changelog: append_op }
)y") {}
  ProcessResult read(const std::string& input, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"run", (*this / "pipeline.yaml").string()});
    return run_weir(arguments, {.environment = {{"JOB", job()}}, .working_folder = *this / "", .input = input});
  }
};

}  // namespace

TEST_CASE("a job that reads stdin alone begins anew, and goes on from its state when it is told to") {
  const Sums folder;
  REQUIRE(folder.read("{\"n\":1}\n{\"n\":2}\n").exit_code == 0);
  const std::string first = folder.newest().path.string();
  const ProcessResult more = folder.read("{\"n\":10}\n", {"--continue"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK_THAT(more.output, Contains("\"op\":\"+U\",\"s\":13}"));
  CHECK_THAT(more.errors, Contains("source in: goes on with new rows") && !Contains("begins anew"));
  const ProcessResult older = folder.read("{\"n\":100}\n", {"--from", first});
  INFO(older.errors);
  CHECK(older.exit_code == 0);
  CHECK_THAT(older.output, Contains("\"op\":\"+U\",\"s\":103}"));
  const ProcessResult third = folder.read("{\"n\":1000}\n", {"--continue"});
  CHECK_THAT(third.output, Contains("\"op\":\"+U\",\"s\":1103}"));
  const ProcessResult anew = folder.read("{\"n\":5}\n");
  CHECK_THAT(anew.output, Contains("\"op\":\"+I\",\"s\":5}"));
  CHECK_THAT(anew.errors, Contains("the job begins anew"));
}

TEST_CASE("a job with stdin beside other sources goes on only where the position of stdin is given up") {
  Sums folder("in: { type: stdin, schema: { n: bigint } }, other: { type: generator, rows: 3, select: { n: n } }");
  folder.rewrite(read_file(folder / "pipeline.yaml") + "  rest: { from: other, type: discard }\n");
  REQUIRE(folder.read("{\"n\":1}\n{\"n\":2}\n").exit_code == 0);
  const ProcessResult refused = folder.read("{\"n\":10}\n", {"--continue"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("cannot be read again") && Contains("--drop-state in gives the position up"));
  const ProcessResult more = folder.read("{\"n\":10}\n", {"--continue", "--drop-state", "in"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK_THAT(more.output, Contains("\"op\":\"+U\",\"s\":13}"));
  CHECK_THAT(more.errors, Contains("source in: its positions in checkpoint") && Contains("are given up"));
  const auto shown = folder.weir({"checkpoints", "show", (folder.checkpoints() / "chk-000003").string()});
  CHECK_THAT(shown.output, Contains("a claim") && Contains("dropped    the positions of source in"));
}

TEST_CASE("--drop-state that drops nothing is questioned, also where there is no checkpoint") {
  const Sums folder;
  const ProcessResult first = folder.read("{\"n\":1}\n", {"--drop-state", "zzz", "--drop-state", "total"});
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.errors, Contains("--drop-state zzz: the job begins without a checkpoint") &&
                               Contains("nor has the file a step or source of that name: in, total, out") &&
                               Contains("--drop-state total: the job begins without a checkpoint"));
  const ProcessResult more = folder.read("{\"n\":1}\n", {"--continue", "--drop-state", "zzz"});
  CHECK(more.exit_code == 0);
  CHECK_THAT(more.errors, Contains("--drop-state zzz: checkpoint 2 holds nothing of that name"));
}

TEST_CASE("--drop-state on a finished job is questioned") {
  const PipelineFolder folder(R"y(
sources: { in: { type: generator, rows: 3, select: { n: n } } }
sinks: { out: { from: in, type: discard } }
)y");
  REQUIRE(folder.run().exit_code == 0);
  const ProcessResult again = folder.run({"--drop-state", "zzz", "--drop-state", "in"});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.errors, Contains("--drop-state zzz: checkpoint 2 holds nothing of that name; it holds in") &&
                               Contains("--drop-state in: the job is finished, so nothing is given up") &&
                               Contains("nothing to do"));
}

TEST_CASE("options that exclude each other are refused") {
  const PipelineFolder folder(
      "sources: { in: { type: generator, rows: 3, select: { n: n } } }\n"
      "sinks: { out: { from: in, type: discard } }\n");
  const ProcessResult both = folder.run({"--fresh", "--continue"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.errors, Contains("--fresh and --continue exclude each other"));
  CHECK(folder.run({"--fresh"}).exit_code == 0);
}

TEST_CASE("a row that cannot be written is shown in part where it is long") {
  const PipelineFolder folder(R"y(
sources: { in: { type: generator, rows: 1, select: { n: n, a: "repeat('a', 100000)", b: "'short'" } } }
steps: { ratio: { from: in, select: { r: "100 / n" } } }
sinks: { out: { from: ratio, type: console } }
)y");
  const ProcessResult result = folder.run();
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors,
             Contains("division by zero") && Contains("\"n\":0,\"a\":\"aaaa") && Contains("aaa…,\"b\":\"short\"}"));
  CHECK(result.errors.size() < 2000);
}

TEST_CASE("a step's failing row ends the job with step, expression and value") {
  const PipelineFolder folder(R"y(
sources: { in: { type: generator, rows: 10, select: { n: n } } }
steps: { ratio: { from: in, select: { r: "100 / (n - 5)" } } }
sinks: { out: { from: ratio, type: console } }
)y");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("ratio") && Contains("division by zero") && Contains("100 / (n - 5)"));
}

TEST_CASE("a console whose reader is gone ends the job") {
  const PipelineFolder folder(
      "restart: { attempts: 0 }\n"
      R"(
sources: { in: { type: generator, select: { n: n } } }
sinks: { out: { from: in, type: console } }
)");
  const ProcessResult result = run_process(
      "/bin/sh", {"-c", "( \"" + weir_program().string() + "\" run pipeline.yaml; echo \"exit $?\" >&2 ) | head -n 1"},
      {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "", .input = {}}, seconds(20));
  INFO(result.errors);
  CHECK(result.output == "{\"n\":0}\n");
  CHECK_THAT(result.errors, Contains("exit 3") && Contains("out"));
}

TEST_CASE("a job whose time is over before it could restart has failed, with what kept it") {
  const PipelineFolder folder(R"(
sources: { in: { type: generator, select: { n: n } } }
sinks: { out: { from: in, type: console } }
)");
  const ProcessResult result =
      run_process("/bin/sh", {"-c", "\"" + weir_program().string() + "\" run pipeline.yaml --stop-after 1500ms > /dev/full"},
                  {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "", .input = {}}, seconds(20));
  INFO(result.errors);
  CHECK(result.exit_code == 3);
  const std::vector<std::string> lines = lines_in(result.errors);
  CHECK_THAT(lines.back(), Contains("error") && Contains("No space left on device") && Contains("--stop-after is over"));
}

TEST_CASE("a job that is stopped by a signal before it could restart was stopped") {
  const PipelineFolder folder(R"(
restart: { backoff: 20s, max_backoff: 20s }
sources: { in: { type: generator, select: { n: n } } }
sinks: { out: { from: in, type: console } }
)");
  Process process("/bin/sh", {"-c", "exec \"" + weir_program().string() + "\" run pipeline.yaml > /dev/full"},
                  {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "", .input = {}});
  process.wait_for_line("in 20s (restart 1");
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  CHECK_THAT(process.errors(), Contains("stopped before it could restart") && Contains("No space left on device"));
}

TEST_CASE("parts of the last checkpoint get their names though the job was killed before that, and nothing is left to do") {
  const std::string point = GENERATE("after-commit", "during-rename");
  PipelineFolder folder(R"yaml(
sources: { in: { type: generator, rows: 5, select: { n: n } } }
sinks: { out: { from: in, type: file, path: out, format: json } }
)yaml");
  folder.set("WEIR_CRASH_AT", point);
  CHECK(folder.run().exit_code == 128 + SIGKILL);
  folder.set("WEIR_CRASH_AT", "");
  const ProcessResult next = folder.run();
  INFO(next.errors);
  CHECK(next.exit_code == 0);
  std::vector<std::int64_t> rows;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    CHECK(entry.path().filename().string()[0] != '.');
    for (const std::string& line : lines_in(read_file(entry.path()))) rows.push_back(member_n(line));
  }
  std::sort(rows.begin(), rows.end());
  CHECK(rows == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) std::filesystem::remove(entry.path());
  const ProcessResult again = folder.run();  // a reader may take what is finished
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.errors, Catch::Contains("nothing to do") && !Catch::Contains("warn"));
}

}  // namespace weir
