#include "tests/support/process.h"

#include <catch2/catch.hpp>

using namespace weir;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

ProcessResult shell(const std::string& script, const ProcessOptions& options = {}) {
  return run_process("sh", {"-c", script}, options);
}

}  // namespace

TEST_CASE("a process's exit code, stdout and stderr are kept apart") {
  const ProcessResult result = shell("echo out; echo err >&2; exit 7");
  CHECK(result.exit_code == 7);
  CHECK(result.output == "out\n");
  CHECK(result.errors == "err\n");
}

TEST_CASE("a process gets input, environment and working folder") {
  TemporaryFolder folder;
  folder.write("here.txt", "x");
  const ProcessResult result = shell("cat; echo $COLOUR; ls", {{{"COLOUR", "green"}}, folder.path(), "given\n"});
  CHECK(result.output == "given\ngreen\nhere.txt\n");
}

TEST_CASE("a line is found while the process still runs, and the second of its kind later") {
  Process process("sh", {"-c", "echo step 1; sleep 0.05; echo step 2; sleep 60"});
  CHECK(process.wait_for_line("step") == "step 1");
  CHECK(process.wait_for_line("step", 5s, 2) == "step 2");
  CHECK(process.count_lines("step") == 2);
  CHECK(process.running());
}

TEST_CASE("waiting for a line ends when the process ends without it") {
  Process process("sh", {"-c", "echo something else"});
  CHECK_THROWS_WITH(process.wait_for_line("never", 20s),
                    Contains("ended with 0 before line 1 with \"never\"") && Contains("something else"));
}

TEST_CASE("waiting for a line or the end has a limit") {
  Process process("sleep", {"60"});
  CHECK_THROWS_WITH(process.wait_for_line("never", 20ms), Contains("printed within 20 ms no line 1"));
  CHECK_THROWS_WITH(process.wait(20ms), Contains("still runs after 20 ms"));
}

TEST_CASE("a signal that ends a process shows in the exit code") {
  Process killed("sleep", {"60"});
  killed.kill();
  CHECK(killed.wait() == 137);
  Process asked("sh", {"-c", "trap 'exit 3' TERM; echo ready; while true; do sleep 0.01; done"});
  asked.wait_for_line("ready");
  asked.signal(SIGTERM);
  CHECK(asked.wait() == 3);
}

TEST_CASE("a program that does not exist is an error") {
  CHECK_THROWS_WITH(Process("/does/not/exist", {}), Contains("cannot start /does/not/exist"));
}

TEST_CASE("the CPU time of a process is known while it runs and afterwards") {
  Process process("sh", {"-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; sleep 60"});
  process.wait_for_line("done");
  CHECK(process.cpu_time() > 0ms);
  process.kill();
  CHECK(process.cpu_time() > 0ms);
}
