#include "runtime/exec/scheduler.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>

#include <spdlog/spdlog.h>

#include "runtime/exec/thread_pool.h"

namespace weir {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kBlockingThreads = 4;
constexpr auto kPatience = std::chrono::seconds(10);  ///< after which a wait says what it waits for
}  // namespace

struct Scheduler::Pools {
  Pools(int threads, std::function<void(std::exception_ptr)> failure)
      : steps(static_cast<std::size_t>(threads)), blocking(kBlockingThreads), commits(1), on_failure(std::move(failure)) {}

  void fail(std::exception_ptr reason) {
    if (!failed.exchange(true)) on_failure(reason);
  }

  /// Runs what may block on `pool`, unless the attempt ends before.
  static void post(const std::shared_ptr<Pools>& self, ThreadPool& pool, std::function<void()> work) {
    if (self->stopped) return;
    asio::post(pool.context(), [work = std::move(work), pools = std::weak_ptr(self)] {
      const auto alive = pools.lock();
      if (alive) alive->run_blocking(work);
    });
  }
  void run_blocking(const std::function<void()>& work) {
    {
      std::lock_guard lock(mutex);
      if (stopped) return;
      ++running;
    }
    try {
      work();
    } catch (...) {
      fail(std::current_exception());
    }
    std::lock_guard lock(mutex);
    --running;
    ended.notify_all();
  }
  /// Waits for the blocking calls that run; no other begins.
  void settle() {
    std::unique_lock lock(mutex);
    for (int waited = 0; !ended.wait_for(lock, kPatience, [this] { return running == 0; });)
      spdlog::warn(
          "winding up: {} {} not come back for {} s (a disk, a broker, or the reader of standard output); a second signal "
          "ends the "
          "program at once",
          running, running == 1 ? "call has" : "calls have", waited += static_cast<int>(kPatience.count()));
  }

  ThreadPool steps;
  ThreadPool blocking;
  ThreadPool commits;
  std::mutex mutex;  ///< guards running
  std::condition_variable ended;
  int running = 0;  ///< blocking calls
  std::function<void(std::exception_ptr)> on_failure;
  std::atomic<bool> failed{false};
  std::atomic<bool> stopped{false};
};

class Scheduler::Commits final : public BlockingPool {
 public:
  explicit Commits(std::shared_ptr<Pools> pools) : pools_(std::move(pools)) {}
  void run(std::function<void()> work) override { Pools::post(pools_, pools_->commits, std::move(work)); }

 private:
  const std::shared_ptr<Pools> pools_;
};

/// A task and whether it waits, runs, or runs and was woken meanwhile. Wakers share it, so it may outlive the pools.
///
/// Every change of the state reads and writes it in one operation, also one that leaves it as it is: so what a waker wrote
/// before wake() is seen by the step that follows, whichever of them comes first.
struct Scheduler::Slot : std::enable_shared_from_this<Scheduler::Slot> {
  enum State : int { kParked, kScheduled, kRunning, kRunningWoken };

  Slot(Task& t, std::shared_ptr<Pools> p) : task(&t), pools(std::move(p)) {}

  void wake() {
    int state = kParked;
    while (!state_.compare_exchange_weak(state, state == kParked || state == kScheduled ? kScheduled : kRunningWoken)) {
    }
    if (state == kParked) schedule();
  }

  void schedule() {
    std::lock_guard lock(mutex);
    if (!pools || pools->stopped) return;
    asio::post(pools->steps.context(), [self = shared_from_this()] { self->step(); });
  }

  void step() {
    state_.exchange(kRunning);
    if (pools->failed || pools->stopped) return;
    StepResult result;
    try {
      result = task->step();
    } catch (...) {
      pools->fail(std::current_exception());
      return;
    }
    int running = kRunning;
    if (result == StepResult::kAgain || !state_.compare_exchange_strong(running, kParked)) {
      state_.exchange(kScheduled);
      schedule();
    }
  }

  void close() {
    std::lock_guard lock(mutex);
    pools.reset();
  }

  Task* task;
  std::mutex mutex;  ///< guards pools against close()
  std::shared_ptr<Pools> pools;
  std::atomic<int> state_{kScheduled};  ///< so that nothing posts it before start()
};

Scheduler::Scheduler(int threads, std::function<void(std::exception_ptr)> on_failure)
    : pools_(std::make_shared<Pools>(threads, std::move(on_failure))), commits_(std::make_unique<Commits>(pools_)) {}

Scheduler::~Scheduler() { stop(); }

void Scheduler::add(Task& task) {
  slots_.push_back(std::make_shared<Slot>(task, pools_));
  task.set_scheduler([slot = slots_.back()] { slot->wake(); });
}

void Scheduler::start() {
  for (const auto& slot : slots_) slot->schedule();
}

Waker Scheduler::waker(Task& task) const {
  for (const auto& slot : slots_)
    if (slot->task == &task) return [slot] { slot->wake(); };
  return {};
}

void Scheduler::after(Duration delay, std::function<void()> work) {
  if (pools_->stopped) return;
  auto timer = std::make_shared<asio::steady_timer>(pools_->steps.context(), std::chrono::microseconds(delay.micros));
  timer->async_wait([timer, work = std::move(work), pools = std::weak_ptr(pools_)](const boost::system::error_code& error) {
    const auto alive = pools.lock();
    if (error || !alive || alive->stopped) return;
    try {
      work();
    } catch (...) {
      alive->fail(std::current_exception());
    }
  });
}

void Scheduler::run(std::function<void()> work) { Pools::post(pools_, pools_->blocking, std::move(work)); }

bool Scheduler::stopping() const { return pools_->stopped || pools_->failed; }

BlockingPool& Scheduler::commits() { return *commits_; }

void Scheduler::stop() {
  {
    std::lock_guard lock(pools_->mutex);
    if (pools_->stopped.exchange(true)) return;
  }
  pools_->settle();
  for (ThreadPool* pool : {&pools_->blocking, &pools_->commits, &pools_->steps}) {
    pool->stop();
    pool->join();
  }
  for (const auto& slot : slots_) slot->close();
}

}  // namespace weir
