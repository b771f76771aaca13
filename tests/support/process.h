#pragma once
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace weir {

/// How a Process is started, beside its program and arguments.
struct ProcessOptions {
  std::map<std::string, std::string> environment;  ///< Added to this process's own; wins over it.
  std::filesystem::path working_folder;            ///< Empty: this process's own.
  std::string input;                               ///< What it reads from stdin, then end of file.
};

/// A program that runs beside the test. Its stdout and stderr go to files, so it never waits for its reader.
///
/// Where a call waits it has a limit, and std::runtime_error says what was waited for and how the program's output ends.
/// At the end of its life a program that still runs is killed. Not thread-safe.
class Process {
 public:
  using Duration = std::chrono::milliseconds;

  /// Starts `program`. Throws std::runtime_error when it cannot be started.
  Process(const std::filesystem::path& program, std::vector<std::string> arguments, const ProcessOptions& options = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits for a complete line that holds `text`, on stdout or stderr, and returns it. `nth` counts such lines from 1, over
  /// the whole life of the program: wait for the second "committed" with nth = 2. Throws when the time is over or the
  /// program has ended without it.
  std::string wait_for_line(std::string_view text, Duration limit = std::chrono::seconds(20), int nth = 1);
  /// How many complete lines hold `text` by now.
  int count_lines(std::string_view text) const;

  /// Sends a signal; nothing happens when the program has ended.
  void signal(int number);
  /// SIGKILL, and waits until the program is gone.
  void kill();
  /// Waits for the end and returns the exit code, or 128 + the signal that ended it. Throws when the time is over.
  int wait(Duration limit = std::chrono::seconds(60));
  /// True while the program has not ended.
  bool running();

  int pid() const { return pid_; }
  /// What it has written to stdout and to stderr so far.
  std::string output() const;
  std::string errors() const;
  /// CPU time of the program so far, user and system; of the whole life when it has ended.
  Duration cpu_time();

 private:
  bool reap(int options);  ///< Collects the exit code if the program has ended; `options` as for wait4.
  std::string describe(std::string_view problem) const;

  TemporaryFolder files_;
  std::string command_;
  int pid_ = -1;
  std::optional<int> exit_code_;
  Duration cpu_time_{0};
};

/// What a program that has ended left.
struct ProcessResult {
  int exit_code;  ///< Or 128 + the signal.
  std::string output, errors;
};

/// Runs a program to its end. Throws std::runtime_error when it takes longer than `limit` (and kills it).
ProcessResult run_process(const std::filesystem::path& program, std::vector<std::string> arguments,
                          const ProcessOptions& options = {}, Process::Duration limit = std::chrono::seconds(60));

/// The weir program: WEIR from the environment, else `weir` one folder above this test program.
std::filesystem::path weir_program();

/// run_process with weir_program().
ProcessResult run_weir(std::vector<std::string> arguments, const ProcessOptions& options = {},
                       Process::Duration limit = std::chrono::seconds(60));

}  // namespace weir
