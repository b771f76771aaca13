#pragma once
#include <array>

#include "runtime/exec/executor.h"
#include "runtime/exec/thread_pool.h"

namespace weir {

/// How many threads the lanes have. More of them cost memory; fewer let blocking calls wait for each other.
struct ExecutorThreads {
  int tasks = 1;
  int commits = 1;  ///< as many checkpoints are written at a time
  int chores = 4;
};

/// Runs work on threads, a pool for each lane, first come first served.
class AsioExecutor final : public Executor {
 public:
  /// Throws Error(kEnvironment) when the system refuses a thread.
  explicit AsioExecutor(ExecutorThreads threads, const Clock& clock = system_clock());
  /// Drops what has not begun and waits for what runs.
  ~AsioExecutor() override;

  void post(Lane lane, std::function<void()> work) override;
  void after(Lane lane, Duration delay, std::function<void()> work) override;
  const Clock& clock() const override { return clock_; }

 private:
  ThreadPool& pool(Lane lane) { return *pools_[static_cast<std::size_t>(lane)]; }

  const Clock& clock_;
  std::array<std::unique_ptr<ThreadPool>, 4> pools_;
};

}  // namespace weir
