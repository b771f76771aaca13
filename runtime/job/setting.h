#pragma once
#include <optional>
#include <vector>

#include "runtime/checkpoint/folder.h"
#include "runtime/exec/executor.h"
#include "runtime/job/job.h"

namespace weir {

/// What a job is made of and what it may use. All of it outlives the job's attempts.
struct JobSetting {
  const PipelineFile& file;
  const Graph& graph;
  const JobOptions& options;
  StateStores& stores;
  Executor& executor;
  StopRequest& stop;

  const Clock& clock() const { return executor.clock(); }
};

/// What an attempt must know of those before it in this process.
struct Restarts {
  Duration job_started{};        ///< by the steady clock; --stop-after counts from here
  std::optional<Epoch> claimed;  ///< the newest claim of this process
  int count = 0;
  int timeout_factor = 1;     ///< of transactions, see AttemptContext
  bool timed_out = false;     ///< the last attempt ended for that: the factor is new
  std::vector<RunId> runs{};  ///< theirs
  CommitCounters* commits = nullptr;
};

/// What an attempt came to, however it ends.
struct AttemptRecord {
  std::optional<Marker> restored;  ///< the checkpoint that it goes on from
  std::optional<Epoch> claimed;    ///< its claim, once that is committed
  bool made_progress = false;      ///< a checkpoint that is no claim was committed: the restart counter begins anew
};

}  // namespace weir
