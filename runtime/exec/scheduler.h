#pragma once
#include <exception>
#include <functional>
#include <memory>

#include "runtime/api/context.h"
#include "runtime/exec/executor.h"
#include "runtime/exec/task.h"

namespace weir {

/// Runs the tasks of one attempt on an executor that others share: each by one thread at a time, when it was woken, for one
/// time slice; and its blocking calls, those of checkpoints apart from the others.
///
/// What has not begun when the attempt ends never runs, and is destroyed by stop(). on_failure is called once at the most,
/// from any thread, with what a task or a blocking call threw; nothing is stepped after it.
class Scheduler final : public BlockingPool {
 public:
  /// The executor must outlive the scheduler.
  Scheduler(Executor& executor, std::function<void(std::exception_ptr)> on_failure);
  ~Scheduler() override;  ///< stops

  /// Takes the task into care; it is stepped for the first time after start(), whoever wakes it before. It must outlive
  /// stop().
  void add(Task& task);
  void start();
  /// A waker of the task that may outlive everything.
  Waker waker(Task& task) const;
  /// Runs `work` once after `delay`, beside the tasks; not at all after stop().
  void after(Duration delay, std::function<void()> work);
  void run(std::function<void()> work) override;
  bool stopping() const override;
  /// For what must not wait behind other blocking calls: writing checkpoints and committing them.
  BlockingPool& commits();

  /// Steps nothing any more, waits for what runs, blocking calls included, and says now and then that it does. Repeatable.
  /// Not from work of this scheduler.
  void stop();

 private:
  struct Shared;
  class Commits;
  struct Slot;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Commits> commits_;
  std::vector<std::shared_ptr<Slot>> slots_;
};

}  // namespace weir
