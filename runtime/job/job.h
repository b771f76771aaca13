#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/commit_authority.h"
#include "runtime/api/context.h"
#include "runtime/checkpoint/recovery.h"
#include "runtime/checkpoint/verify.h"
#include "runtime/graph/graph.h"
#include "runtime/state/state_store.h"

namespace weir {

/// What the user said on the command line of `weir run`.
struct JobOptions {
  // What changes results or guarantees.
  std::optional<std::filesystem::path> from;    ///< --from
  bool fresh = false;                           ///< --fresh
  bool read_on = false;                         ///< --continue
  bool allow_duplicates = false;                ///< --allow-duplicates
  std::optional<InDoubt> in_doubt;              ///< --in-doubt
  bool copy = false;                            ///< --copy: start from another job's checkpoint
  bool take_over = false;                       ///< --take-over: the same, and end that job
  std::vector<std::string> drop_state;          ///< --drop-state: sources and steps whose state is given up
  VerifyLevel verify = VerifyLevel::kUpTo1GiB;  ///< --verify
  std::optional<Duration> stop_after;           ///< --stop-after: stop gracefully after that long
  std::optional<std::int64_t> stop_after_rows;  ///< the same after so many source rows; for tests
  /// An authority at the cluster that the named authority commits to, through any connection of the file; null where none
  /// reaches it. May block.
  std::function<std::unique_ptr<CommitAuthority>(AttemptContext& attempt, const std::string& name)> authority_at;
  /// A stop is given up when nothing moves for so long before its last checkpoint. With what winding up may take (two
  /// seconds where a broker hangs) it is less than the 30 s after which supervisors kill.
  Duration stop_limit = Duration::seconds(25);
  // What changes only speed and looks.
  int threads = 1;            ///< of the task pool
  int batch_rows = 2000;      ///< rows in a source's batch, at most
  bool quiet = false;         ///< --quiet: no progress
  std::string pipeline_hash;  ///< of the file, for manifests
};

/// How a job ended without failing.
enum class JobEnd {
  kFinished,      ///< bounded, and all read; or there was nothing to do
  kStopped,       ///< by a signal, after a last checkpoint
  kStoppedAfter,  ///< by --stop-after, likewise
};

/// A stop that was asked for, from any thread or a signal's thread; lives as long as the process.
struct StopRequest {
  std::atomic<int> signal{0};
  /// Nothing runs yet: nothing would be lost if the process ended at once, while a start may wait for a broker for long.
  std::atomic<bool> nothing_to_save{true};
  /// Likewise, and the start looks at what is there: checkpoints, brokers, topics. It has claimed nothing.
  std::atomic<bool> looking{false};
};

/// Runs a pipeline until it ends: attempts, each from the last committed checkpoint, with back-off after environment errors
/// (`restart`). Throws what ends the job: weir::Error.
///
/// Blocks the calling thread, which is the control thread: the coordinator, timers and failures are handled on it.
class Job {
 public:
  Job(const PipelineFile& file, const Graph& graph, JobOptions options, StateStores& stores, const Clock& clock,
      StopRequest& stop);
  ~Job();
  JobEnd run();
  /// Lets run() look at the StopRequest soon. Any thread.
  void wake();

 private:
  struct Control;
  void pause(Duration wait);
  bool time_is_over() const;
  std::optional<Marker> other_run(const std::vector<RunId>& ours) const;
  void refuse_if_taken_over(const std::vector<RunId>& ours, const std::string& reason) const;
  void judge_fenced(const std::vector<RunId>& ours, const std::string& reason, std::optional<Duration> fenced_before);

  const PipelineFile& file_;
  const Graph& graph_;
  const JobOptions options_;
  StateStores& stores_;
  const Clock& clock_;
  StopRequest& stop_;
  const Duration started_;
  std::unique_ptr<Control> control_;
};

}  // namespace weir
