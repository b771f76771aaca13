#include "tests/support/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace weir {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kPause = std::chrono::milliseconds(5);

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('='))))) merged.emplace_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Calls `visit` with each complete line of `text` until it returns false.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    if (!visit(text.substr(0, end))) return;
}

std::string_view tail(std::string_view text) { return text.size() <= 2000 ? text : text.substr(text.size() - 2000); }

}  // namespace

Process::Process(const fs::path& program, std::vector<std::string> arguments, const ProcessOptions& options) {
  command_ = program.string();
  for (const std::string& argument : arguments) command_ += " " + argument;
  arguments.insert(arguments.begin(), program.string());
  std::vector<std::string> environment = merged_environment(options.environment);

  const std::string input = files_.write("stdin", options.input);
  const std::string output = files_.write("stdout", ""), errors = files_.write("stderr", "");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_APPEND, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_APPEND, 0);
  if (!options.working_folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.working_folder.c_str());
  const int error =
      posix_spawnp(&pid_, program.c_str(), &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + command_ + ": " + std::strerror(error));
}

Process::~Process() { kill(); }

std::string Process::wait_for_line(std::string_view text, Duration limit, int nth) {
  const auto patience = Clock::now() + limit;
  while (true) {
    const bool ended = !running();
    std::optional<std::string> found;
    int seen = 0;
    for (const std::string& stream : {output(), errors()})
      each_line(stream, [&](std::string_view line) {
        if (line.find(text) != line.npos && ++seen == nth) found = line;
        return !found;
      });
    if (found) return *found;
    const std::string wanted = "line " + std::to_string(nth) + " with \"" + std::string(text) + "\"";
    if (ended) throw std::runtime_error(describe("ended with " + std::to_string(*exit_code_) + " before " + wanted));
    if (Clock::now() > patience)
      throw std::runtime_error(describe("printed within " + std::to_string(limit.count()) + " ms no " + wanted));
    std::this_thread::sleep_for(kPause);
  }
}

int Process::count_lines(std::string_view text) const {
  int seen = 0;
  for (const std::string& stream : {output(), errors()})
    each_line(stream, [&](std::string_view line) {
      seen += line.find(text) != line.npos;
      return true;
    });
  return seen;
}

void Process::signal(int number) {
  if (running()) ::kill(pid_, number);
}

void Process::kill() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  while (!reap(0)) {
  }
}

int Process::wait(Duration limit) {
  const auto patience = Clock::now() + limit;
  while (running()) {
    if (Clock::now() > patience)
      throw std::runtime_error(describe("still runs after " + std::to_string(limit.count()) + " ms"));
    std::this_thread::sleep_for(kPause);
  }
  return *exit_code_;
}

bool Process::running() {
  if (exit_code_ || pid_ < 0) return false;
  return !reap(WNOHANG);
}

bool Process::reap(int options) {
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, options, &usage) != pid_) return false;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const auto duration = [](timeval t) { return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec); };
  cpu_time_ = std::chrono::duration_cast<Duration>(duration(usage.ru_utime) + duration(usage.ru_stime));
  return true;
}

Process::Duration Process::cpu_time() {
  if (!running()) return cpu_time_;
  const std::string stat = read_file("/proc/" + std::to_string(pid_) + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  long user = 0, system = 0;
  fields >> user >> system;
  return Duration((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

std::string Process::output() const { return read_file(files_ / "stdout"); }
std::string Process::errors() const { return read_file(files_ / "stderr"); }

std::string Process::describe(std::string_view problem) const {
  std::string text = command_ + ": " + std::string(problem);
  for (const auto& [name, stream] : {std::pair("stdout", output()), std::pair("stderr", errors())})
    if (!stream.empty()) text += std::string("\n--- ") + name + " ends with\n" + std::string(tail(stream));
  return text;
}

ProcessResult run_process(const fs::path& program, std::vector<std::string> arguments, const ProcessOptions& options,
                          Process::Duration limit) {
  Process process(program, std::move(arguments), options);
  const int exit_code = process.wait(limit);
  return {exit_code, process.output(), process.errors()};
}

fs::path weir_program() {
  if (const char* given = std::getenv("WEIR"); given != nullptr && *given != '\0') return given;
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "weir";
}

ProcessResult run_weir(std::vector<std::string> arguments, const ProcessOptions& options, Process::Duration limit) {
  return run_process(weir_program(), std::move(arguments), options, limit);
}

}  // namespace weir
