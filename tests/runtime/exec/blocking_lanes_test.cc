#include "runtime/exec/scheduler.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <thread>

#include "runtime/api/ordered_work.h"
#include "runtime/base/error.h"
#include "runtime/exec/asio_executor.h"
#include "runtime/exec/thread_pool.h"
#include "tests/support/sanitizers.h"

namespace weir {
namespace {

using std::chrono::milliseconds;

/// Set from any thread, waited for by the test.
class Signal {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool wait(milliseconds limit = std::chrono::seconds(10)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

/// Gives one row whenever the flag is up.
struct FlagInput final : TaskInput {
  std::atomic<bool> flag{false};
  std::atomic<int> taken{0};
  InputStatus poll_next() override {
    if (!flag.load(std::memory_order_acquire)) return InputStatus::kNothingAvailable;
    flag.store(false, std::memory_order_relaxed);
    ++taken;
    return InputStatus::kMoreAvailable;
  }
};

struct NoListener final : TaskListener {
  void on_snapshot(int, Epoch, TaskSnapshot) override {}
  void on_finished(int, TaskSnapshot) override {}
};

}  // namespace

TEST_CASE("writing and committing checkpoints waits for no other blocking call") {
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, [](std::exception_ptr) {});
  Signal go, committed;
  for (int i = 0; i < 50; ++i) scheduler.run([&go] { go.wait(); });
  scheduler.commits().run([&committed] { committed.set(); });
  CHECK(committed.wait());
  go.set();
}

TEST_CASE("work that never runs dry leaves others their turn on the blocking threads") {
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, [](std::exception_ptr) {});
  std::atomic<bool> over{false};
  std::vector<std::unique_ptr<OrderedWork>> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(std::make_unique<OrderedWork>(scheduler, [] {}));
  std::function<void(OrderedWork&)> feed = [&](OrderedWork& work) {
    work.add([&, w = &work] {
      std::this_thread::sleep_for(milliseconds(1));
      if (!over) feed(*w);
    });
  };
  for (auto& work : tasks) feed(*work), feed(*work);
  for (int i = 0; i < 3; ++i) {
    Signal done;
    scheduler.run([&done] { done.set(); });
    CHECK(done.wait(milliseconds(2000)));
  }
  over = true;
  scheduler.stop();
}

TEST_CASE("a wake-up is never lost, whenever the task parks") {
  FlagInput* input = new FlagInput;
  NoListener listener;
  Task task(0, "task", listener, system_clock());
  task.set_input(std::unique_ptr<TaskInput>(input));
  AsioExecutor executor({.tasks = 2});
  Scheduler scheduler(executor, [](std::exception_ptr) {});
  scheduler.add(task);
  scheduler.start();
  for (int i = 1; i <= 20'000; ++i) {
    input->flag.store(true, std::memory_order_release);
    task.wake();
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (input->taken < i && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    REQUIRE(input->taken == i);
  }
  scheduler.stop();
}

TEST_CASE("what waits outside hears that the attempt ends") {
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, [](std::exception_ptr) {});
  Signal begun;
  bool heard = false;
  scheduler.run([&] {
    begun.set();
    while (!scheduler.stopping()) std::this_thread::sleep_for(milliseconds(1));
    heard = true;
  });
  REQUIRE(begun.wait());
  scheduler.stop();
  CHECK(heard);
}

TEST_CASE("where the system refuses a thread the pool ends those it has and says what is short") {
  if (kSanitized) return;  // they take more memory than the limit below
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{256u << 20, 256u << 20};
    ::setrlimit(RLIMIT_AS, &limit);
    ::alarm(10);
    try {
      ThreadPool pool(1000);
    } catch (const Error& e) {
      ::_exit(e.blame() == Blame::kEnvironment &&
                      e.text().find("a thread could not be started: raise the limit of processes") == 0
                  ? 0
                  : 2);
    } catch (...) {
      ::_exit(3);
    }
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace weir
