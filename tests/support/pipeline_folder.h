#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace weir {

/// What `weir checkpoints list` says of one checkpoint.
struct ListedCheckpoint {
  std::int64_t id;
  std::string run, state;  ///< prepared, committed, finished
  std::filesystem::path path;
};

/// A folder with a pipeline file, in which the real program runs it. Its name and its checkpoints are the file's own affair,
/// except that `${JOB}` is a name no other test has, and checkpoints are looked for in `checkpoints/${JOB}`.
class PipelineFolder {
 public:
  /// Writes `pipeline.yaml`. A file without `name:` and `checkpoint:` gets `name: ${JOB}` and an interval of 100 ms.
  explicit PipelineFolder(const std::string& yaml);

  /// Replaces the pipeline file.
  void rewrite(const std::string& yaml);
  /// An environment variable of the programs that are started from now on; an empty value takes it away.
  void set(const std::string& variable, const std::string& value) { environment_[variable] = value; }
  /// Starts `weir run pipeline.yaml ARGUMENTS`.
  Process start(std::vector<std::string> arguments = {}) const;
  /// The same to its end.
  ProcessResult run(std::vector<std::string> arguments = {}, Process::Duration limit = std::chrono::seconds(60)) const;
  /// Starts it so often, and each time sends SIGKILL behind a checkpoint: the n-th time (from 0) n x `later` behind it.
  void start_and_kill(int times, std::chrono::milliseconds later) const;
  /// Any command of the program, in this folder.
  ProcessResult weir(std::vector<std::string> arguments, Process::Duration limit = std::chrono::seconds(60)) const;

  const std::string& job() const { return job_; }
  /// `checkpoints/${JOB}`.
  std::filesystem::path checkpoints() const { return files_ / "checkpoints" / job_; }
  std::filesystem::path operator/(std::string_view name) const { return files_ / name; }
  std::filesystem::path write(std::string_view name, std::string_view text) const { return files_.write(name, text); }

  /// `checkpoints list --json`, by number.
  std::vector<ListedCheckpoint> list() const;
  /// The newest that is not prepared. Throws std::runtime_error when there is none.
  ListedCheckpoint newest() const;
  /// `checkpoints show --json`: the next offsets of a source with one topic, by partition. -1: not a number.
  std::map<int, std::int64_t> positions_of(const std::filesystem::path& checkpoint, const std::string& source = "in") const;
  /// positions_of newest().
  std::map<int, std::int64_t> positions(const std::string& source = "in") const {
    return positions_of(newest().path, source);
  }

 private:
  ProcessOptions options() const;
  std::string job_ = unique_name("job");
  std::map<std::string, std::string> environment_;
  TemporaryFolder files_;
};

/// A line `{"n":7,...}` as the number of its member `n`. Throws std::runtime_error when it is not such a line.
std::int64_t member_n(std::string_view json);
/// Such lines for each number in [from, to).
std::vector<std::string> lines_with_n(int from, int to);
/// member_n of each.
std::vector<std::int64_t> members_n(const std::vector<std::string>& jsons);

/// The lines of a text.
std::vector<std::string> lines_in(std::string_view text);

/// Calls `holds` every 20 ms until it is true. Throws std::runtime_error that names `what` after `limit`.
template <class Holds>
void wait_until(const std::string& what, Holds holds, Process::Duration limit = std::chrono::seconds(20)) {
  const auto patience = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > patience) throw std::runtime_error("waited in vain for: " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace weir
