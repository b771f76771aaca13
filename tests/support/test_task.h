#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "runtime/api/context.h"

namespace weir {

/// A clock that stands where the test puts it. Wall and steady time move together.
class ManualClock final : public Clock {
 public:
  Timestamp now() const override { return now_; }
  Duration steady() const override { return now_ - Timestamp{}; }
  void advance(Duration d) { now_ = now_ + d; }

 private:
  Timestamp now_{1'704'067'200'000'000};  // 2024-01-01T00:00:00Z
};

/// A blocking pool of one thread, which keeps the first exception.
class TestPool final : public BlockingPool {
 public:
  TestPool();
  ~TestPool() override;
  void run(std::function<void()> work) override;
  /// Waits until nothing is left to do, then throws what work has thrown.
  void settle();

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::exception_ptr error_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

/// An attempt to run a job named `job`, run id 00000000000000aa, first epoch 1.
class TestAttempt {
 public:
  TestAttempt();
  AttemptContext& context() { return *context_; }
  ManualClock clock;
  TestPool pool;
  /// Another life of the job: another run id and first epoch.
  void start_again(std::string run, Epoch first_epoch);

 private:
  std::unique_ptr<AttemptContext> context_;
};

/// A task's surroundings, for one operator or reader.
class TestTask {
 public:
  TestTask(TestAttempt& attempt, std::string name, int index = 0, int parallelism = 1);
  const TaskContext& context() const { return context_; }
  TaskCounters counters;
  /// Waits until the waker is used (also before this call, once). False after `limit`. Throws what the pool's work has
  /// thrown.
  bool wait_woken(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// What wake_after was last asked for, and forgets it.
  std::optional<Duration> take_wake_after() { return std::exchange(wake_after_, std::nullopt); }

 private:
  struct Wakes {
    std::mutex mutex;
    std::condition_variable changed;
    bool woken = false;
  };
  TestAttempt& attempt_;
  std::shared_ptr<Wakes> wakes_ = std::make_shared<Wakes>();
  std::optional<Duration> wake_after_;
  TaskContext context_;
};

}  // namespace weir
