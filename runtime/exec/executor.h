#pragma once
#include <functional>

#include "runtime/base/time.h"

namespace weir {

/// The kinds of work that a process does for its jobs. No lane waits for another.
enum class Lane {
  kControl,  ///< Decisions: barriers, checkpoints, stops, restarts. One piece at a time, in the order of their posting;
             ///< short.
  kTasks,    ///< Steps of tasks, on as many threads as there are cores. Never block.
  kCommits,  ///< Writing checkpoints and committing them. May block.
  kChores,   ///< Everything else that may block: lookups, starts, wake-ups of clients.
};

/// Where and when the work of jobs runs: threads in the program (AsioExecutor), one thread and a seed in a simulation
/// (SimulatedExecutor). One executor serves all jobs of a process and outlives them.
///
/// Thread-safe. Work must not throw.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs `work` soon.
  virtual void post(Lane lane, std::function<void()> work) = 0;
  /// Runs `work` once `delay` has passed.
  virtual void after(Lane lane, Duration delay, std::function<void()> work) = 0;
  /// What the time is here.
  virtual const Clock& clock() const = 0;
};

}  // namespace weir
