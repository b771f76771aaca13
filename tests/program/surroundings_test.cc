#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/pipeline_folder.h"
#include "tests/support/sanitizers.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;

/// Runs the pipeline by a shell, which can take descriptors away or set limits: `run` is the program with its arguments.
ProcessResult run_by_shell(const PipelineFolder& folder, const std::string& before, const std::string& after,
                           const std::string& input = "") {
  return run_process("/bin/sh", {"-c", before + "exec \"" + weir_program().string() + "\" run pipeline.yaml " + after},
                     {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "", .input = input});
}

/// A pipe with a name and nobody who reads it, or writes into it.
struct Fifo {
  explicit Fifo(const PipelineFolder& folder) : path(folder / "fifo") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    end = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~Fifo() { ::close(end); }
  std::filesystem::path path;
  int end;
};

/// The program with its standard input, output or error at a pipe: `where` is <, > or 2>.
struct AtFifo {
  AtFifo(const PipelineFolder& folder, const std::string& where, const std::string& arguments = "--quiet")
      : fifo(folder),
        process("/bin/sh",
                {"-c", "exec \"" + weir_program().string() + "\" run pipeline.yaml " + arguments + " " + where + " fifo"},
                {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "", .input = {}}) {}
  Fifo fifo;
  Process process;
};

/// Processor time in a second of what a program does now.
milliseconds processor_in_a_second(Process& process) {
  const auto before = process.cpu_time();
  std::this_thread::sleep_for(milliseconds(1000));
  return process.cpu_time() - before;
}

constexpr milliseconds kNextToNothing(100);

constexpr const char* kToConsole = R"y(
restart: { attempts: 0 }
sources: { in: { type: file, path: in.jsonl, schema: { n: bigint } } }
sinks: { out: { from: in, type: console } }
)y";
constexpr const char* kRows = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";

}  // namespace

TEST_CASE("with standard output closed a console sink is refused, and nothing gets into the job's own files") {
  const std::string closed = GENERATE(">&-", ">&- <&-", "< /dev/null > /dev/null 1< /dev/null");
  const PipelineFolder folder(kToConsole);
  folder.write("in.jsonl", kRows);
  const ProcessResult run = run_by_shell(folder, "", closed);
  INFO(run.errors);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("sink out: standard output is closed"));
  const std::string lock = read_file(folder.checkpoints() / "LOCK");
  CHECK(lock.find_first_not_of("0123456789\n") == std::string::npos);
}

TEST_CASE("with standard descriptors closed a job's files hold what they should and no more") {
  const std::string closed = GENERATE("2>&-", "<&-", "<&- 2>&-", "<&- >&- 2>&-", ">&-");
  CAPTURE(closed);
  const PipelineFolder folder(R"y(
sources: { in: { type: file, path: in.jsonl, schema: { n: bigint } } }
steps: { c: { from: in, aggregate: { by: [n], select: { c: "count(*)" } } } }
sinks: { out: { from: in, type: file, path: out }, rest: { from: c, type: discard } }
)y");
  folder.write("in.jsonl", kRows);
  const ProcessResult run = run_by_shell(folder, "", closed);
  CHECK(run.exit_code == 0);
  const std::string lock = read_file(folder.checkpoints() / "LOCK");
  CHECK(lock.find_first_not_of("0123456789\n") == std::string::npos);
  for (const auto& part : std::filesystem::directory_iterator(folder / "out")) CHECK(read_file(part.path()) == kRows);
  CHECK(folder.weir({"checkpoints", "verify", folder.newest().path.string()}).exit_code == 0);
}

TEST_CASE("with standard input closed a stdin source is refused") {
  const PipelineFolder folder(
      "sources: { in: { type: stdin, schema: { n: bigint } } }\nsinks: { out: { from: in, type: console } }\n");
  const ProcessResult run = run_by_shell(folder, "", "<&-");
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("source in: standard input is closed"));
}

TEST_CASE("a job that waits for its next attempt takes next to no processor") {
  const PipelineFolder folder(
      "restart: { backoff: 20s, max_backoff: 20s }\nsources: { in: { type: generator, select: { n: n } } }\n"
      "sinks: { out: { from: in, type: console } }\n");
  Process process("/bin/sh", {"-c", "exec \"" + weir_program().string() + "\" run pipeline.yaml > /dev/full"},
                  {.environment = {{"JOB", folder.job()}}, .working_folder = folder / "", .input = {}});
  process.wait_for_line("in 20s (restart 1");
  CHECK(processor_in_a_second(process) < kNextToNothing);
}

TEST_CASE("a job that waits for its input takes next to no processor") {
  const PipelineFolder folder(
      "sources: { in: { type: stdin, schema: { n: bigint } } }\nsinks: { out: { from: in, type: console } }\n");
  AtFifo at(folder, "<");
  at.process.wait_for_line("running");
  CHECK(processor_in_a_second(at.process) < kNextToNothing);
}

TEST_CASE("a job whose reader stands still takes next to no processor, and a second signal ends it") {
  const PipelineFolder folder(
      "sources: { in: { type: generator, select: { n: n } } }\nsinks: { out: { from: in, type: console } }\n");
  AtFifo at(folder, ">");
  at.process.wait_for_line("running");
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(processor_in_a_second(at.process) < kNextToNothing);
  at.process.signal(SIGTERM);
  at.process.wait_for_line("stopping");
  CHECK(processor_in_a_second(at.process) < kNextToNothing);
  CHECK(at.process.running());
  at.process.signal(SIGTERM);
  CHECK(at.process.wait(std::chrono::seconds(5)) == 143);
}

TEST_CASE("a second signal ends a job whose log nobody reads") {
  const PipelineFolder folder(
      "sources: { in: { type: generator, rate: 10, select: { n: n } } }\nsinks: { out: { from: in, type: discard } }\n");
  AtFifo at(folder, "2>", "--log-level debug");
  std::this_thread::sleep_for(milliseconds(300));
  const std::string full(1 << 20, 'x');
  ::fcntl(at.fifo.end, F_SETFL, O_NONBLOCK);
  while (::write(at.fifo.end, full.data(), 512) > 0) {
  }
  std::this_thread::sleep_for(milliseconds(300));
  at.process.signal(SIGTERM);
  std::this_thread::sleep_for(milliseconds(300));
  at.process.signal(SIGTERM);
  CHECK(at.process.wait(std::chrono::seconds(5)) == 143);
}

TEST_CASE("a limit of open files is a failure of the environment that names it") {
  const int files = GENERATE(5, 8, 10, 12, 14, 16, 20, 26);
  CAPTURE(files);
  const PipelineFolder folder(R"y(
restart: { attempts: 0 }
sources: { in: { type: file, path: in.jsonl, schema: { n: bigint } } }
steps: { c: { from: in, aggregate: { by: [n], select: { c: "count(*)" } } } }
sinks: { out: { from: in, type: file, path: out }, rest: { from: c, type: discard } }
)y");
  folder.write("in.jsonl", kRows);
  const ProcessResult run = run_by_shell(folder, "ulimit -n " + std::to_string(files) + "; ", "");
  INFO(run.errors);
  CHECK((run.exit_code == 3 || run.exit_code == 0 || run.exit_code == 127));  // 127: the program itself could not be loaded
  if (run.exit_code == 3)
    CHECK_THAT(run.errors, Contains("limit of open files") && Contains("the limit is " + std::to_string(files)));
  CHECK_THAT(run.errors, !Contains("internal error"));
}

}  // namespace weir
