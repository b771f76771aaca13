#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

/// What the program writes to a terminal, and its exit code.
std::pair<std::string, int> run_on_terminal(const PipelineFolder& folder, std::vector<std::string> arguments) {
  int terminal = -1;
  const std::string program = weir_program().string(), place = (folder / "").string();
  const winsize size{.ws_row = 25, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    ::setenv("JOB", folder.job().c_str(), 1);
    std::vector<char*> given = {const_cast<char*>(program.c_str())};
    for (std::string& a : arguments) given.push_back(a.data());
    given.push_back(nullptr);
    if (::chdir(place.c_str()) == 0) ::execv(program.c_str(), given.data());
    ::_exit(127);
  }
  std::string text;
  char part[4096];
  for (ssize_t got; (got = ::read(terminal, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  return {text, WEXITSTATUS(status)};
}

constexpr const char* kEndless = R"(
sources: { in: { type: generator, rate: 1000, select: { n: n } } }
sinks: { out: { from: in, type: discard } }
)";

}  // namespace

TEST_CASE("on a terminal one line of progress is drawn again and again, and taken away at the end") {
  const PipelineFolder folder(kEndless);
  const auto [text, exit_code] = run_on_terminal(folder, {"run", "pipeline.yaml", "--stop-after", "1800ms"});
  INFO(text);
  CHECK(exit_code == 0);
  CHECK_THAT(text,
             Contains("\r\x1b[Kin ") && Contains("/s)") && Contains("lag") && Contains("checkpoint") && Contains(" ago"));
  CHECK(text.find("\x1b[Kin ", text.find("stopped")) == text.npos);
  const auto [quiet, code] = run_on_terminal(folder, {"run", "pipeline.yaml", "--quiet", "--stop-after", "1200ms"});
  CHECK(code == 0);
  CHECK_THAT(quiet, !Contains("\x1b[Kin "));
}

TEST_CASE("diagnostics have colours on a terminal, and none when told so") {
  const PipelineFolder folder("sources: { in: { type: generatorr } }\nsinks: { out: { from: in, type: discard } }\n");
  const auto [coloured, code] = run_on_terminal(folder, {"validate", "pipeline.yaml"});
  CHECK(code == 2);
  CHECK_THAT(coloured, Contains("\x1b[") && Contains("generator"));
  const auto [plain, plain_code] = run_on_terminal(folder, {"--color", "never", "validate", "pipeline.yaml"});
  CHECK(plain_code == 2);
  CHECK_THAT(plain, !Contains("\x1b["));
  CHECK_THAT(folder.weir({"validate", "pipeline.yaml"}).errors, !Contains("\x1b["));
  CHECK_THAT(folder.weir({"--color", "always", "validate", "pipeline.yaml"}).errors, Contains("\x1b["));
}

}  // namespace weir
