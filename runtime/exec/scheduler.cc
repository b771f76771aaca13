#include "runtime/exec/scheduler.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace weir {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kBlockingThreads = 4;
}

struct Scheduler::Pools {
  Pools(int threads, std::function<void(std::exception_ptr)> failure)
      : steps(static_cast<std::size_t>(threads)), blocking(kBlockingThreads), on_failure(std::move(failure)) {}

  void fail(std::exception_ptr reason) {
    if (!failed.exchange(true)) on_failure(reason);
  }

  asio::thread_pool steps;
  asio::thread_pool blocking;
  std::function<void(std::exception_ptr)> on_failure;
  std::atomic<bool> failed{false};
  std::atomic<bool> stopped{false};
};

/// A task and whether it waits, runs, or runs and was woken meanwhile. Wakers share it, so it may outlive the pools.
struct Scheduler::Slot : std::enable_shared_from_this<Scheduler::Slot> {
  enum State : int { kParked, kScheduled, kRunning, kRunningWoken };

  Slot(Task& t, std::shared_ptr<Pools> p) : task(&t), pools(std::move(p)) {}

  void wake() {
    int state = state_.load();
    while (true) {
      if (state == kScheduled || state == kRunningWoken) return;
      if (state_.compare_exchange_weak(state, state == kParked ? kScheduled : kRunningWoken)) break;
    }
    if (state == kParked) schedule();
  }

  void schedule() {
    std::lock_guard lock(mutex);
    if (!pools || pools->stopped) return;
    asio::post(pools->steps, [self = shared_from_this()] { self->step(); });
  }

  void step() {
    state_ = kRunning;
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
      state_ = kScheduled;
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
    : pools_(std::make_shared<Pools>(threads, std::move(on_failure))) {}

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
  auto timer = std::make_shared<asio::steady_timer>(pools_->steps, std::chrono::microseconds(delay.micros));
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

void Scheduler::run(std::function<void()> work) {
  if (pools_->stopped) return;
  asio::post(pools_->blocking, [work = std::move(work), pools = std::weak_ptr(pools_)] {
    const auto alive = pools.lock();
    if (!alive || alive->stopped) return;
    try {
      work();
    } catch (...) {
      alive->fail(std::current_exception());
    }
  });
}

void Scheduler::stop() {
  if (pools_->stopped.exchange(true)) return;
  pools_->blocking.join();  // what waits there returns at once
  pools_->steps.stop();
  pools_->steps.join();
  for (const auto& slot : slots_) slot->close();
}

}  // namespace weir
