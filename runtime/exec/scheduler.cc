#include "runtime/exec/scheduler.h"

#include <condition_variable>

#include <spdlog/spdlog.h>

namespace weir {

namespace {
constexpr auto kPatience = std::chrono::seconds(10);  ///< after which a wait says what it waits for
}  // namespace

/// What the work shares that the executor holds. It may outlive the scheduler, but nothing runs then.
struct Scheduler::Shared {
  Shared(Executor& e, std::function<void(std::exception_ptr)> failure) : executor(e), on_failure(std::move(failure)) {}

  void fail(std::exception_ptr reason) {
    if (!failed.exchange(true)) on_failure(reason);
  }

  /// True if work may begin: stop() waits for it then, until leave().
  bool enter() {
    running.fetch_add(1);
    if (!stopped) return true;
    leave();
    return false;
  }
  void leave() {
    if (running.fetch_sub(1) != 1 || !stopped) return;
    std::lock_guard lock(mutex);
    ended.notify_all();
  }

  /// Keeps `work` here, where stop() can destroy it, and lets `hand_over` give the executor what runs it.
  template <typename HandOver>
  static void submit(const std::shared_ptr<Shared>& self, std::function<void()> work, HandOver hand_over) {
    std::uint64_t id = 0;
    {
      std::lock_guard lock(self->mutex);
      if (self->stopped) return;
      id = self->next++;
      self->kept.emplace(id, std::move(work));
    }
    hand_over(self->executor, [self, id] { self->run_kept(id); });
  }
  static void post(const std::shared_ptr<Shared>& self, Lane lane, std::function<void()> work) {
    submit(self, std::move(work), [lane](Executor& e, std::function<void()> run) { e.post(lane, std::move(run)); });
  }
  void run_kept(std::uint64_t id) {
    if (!enter()) return;
    if (std::function<void()> work = take(id)) {
      try {
        work();
      } catch (...) {
        fail(std::current_exception());
      }
    }
    leave();
  }
  std::function<void()> take(std::uint64_t id) {
    std::lock_guard lock(mutex);
    const auto at = kept.find(id);
    return at == kept.end() ? nullptr : std::move(kept.extract(at).mapped());
  }

  /// Lets nothing begin any more. False if that was so already.
  bool close() {
    decltype(kept) dropped;  // destroyed without the lock
    std::lock_guard lock(mutex);
    if (stopped.exchange(true)) return false;
    dropped.swap(kept);
    return true;
  }
  /// Waits for what runs.
  void settle() {
    std::unique_lock lock(mutex);
    for (int waited = 0; !ended.wait_for(lock, kPatience, [this] { return running == 0; });) {
      const int calls = running;
      spdlog::warn(
          "winding up: {} {} not come back for {} s (a disk, a broker, or the reader of standard output); a second signal "
          "ends the program at once",
          calls, calls == 1 ? "call has" : "calls have", waited += static_cast<int>(kPatience.count()));
    }
  }

  Executor& executor;
  const std::function<void(std::exception_ptr)> on_failure;
  std::mutex mutex;                                               ///< guards kept and next
  std::unordered_map<std::uint64_t, std::function<void()>> kept;  ///< handed over, not begun
  std::uint64_t next = 0;
  std::condition_variable ended;
  std::atomic<int> running{0};  ///< steps and other work
  std::atomic<bool> failed{false};
  std::atomic<bool> stopped{false};
};

class Scheduler::Commits final : public BlockingPool {
 public:
  explicit Commits(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  void run(std::function<void()> work) override { Shared::post(shared_, Lane::kCommits, std::move(work)); }

 private:
  const std::shared_ptr<Shared> shared_;
};

/// A task and whether it waits, runs, or runs and was woken meanwhile. Wakers share it, so it may outlive the executor.
///
/// Every change of the state reads and writes it in one operation, also one that leaves it as it is: so what a waker wrote
/// before wake() is seen by the step that follows, whichever of them comes first.
struct Scheduler::Slot : std::enable_shared_from_this<Scheduler::Slot> {
  enum State : int { kParked, kScheduled, kRunning, kRunningWoken };

  Slot(Task& t, std::shared_ptr<Shared> s) : task(&t), shared(std::move(s)) {}

  void wake() {
    int state = kParked;
    while (!state_.compare_exchange_weak(state, state == kParked || state == kScheduled ? kScheduled : kRunningWoken)) {
    }
    if (state == kParked) schedule();
  }

  void schedule() {
    std::lock_guard lock(mutex);
    if (open) shared->executor.post(Lane::kTasks, [self = shared_from_this()] { self->run(); });
  }

  void run() {
    if (!shared->enter()) return;
    step();
    shared->leave();
  }

  void step() {
    state_.exchange(kRunning);
    if (shared->failed) return;
    StepResult result;
    try {
      result = task->step();
    } catch (...) {
      shared->fail(std::current_exception());
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
    open = false;
  }

  Task* const task;
  const std::shared_ptr<Shared> shared;
  std::mutex mutex;
  bool open = true;                     ///< the executor is there. Guarded by mutex
  std::atomic<int> state_{kScheduled};  ///< so that nothing posts it before start()
};

Scheduler::Scheduler(Executor& executor, std::function<void(std::exception_ptr)> on_failure)
    : shared_(std::make_shared<Shared>(executor, std::move(on_failure))), commits_(std::make_unique<Commits>(shared_)) {}

Scheduler::~Scheduler() { stop(); }

void Scheduler::add(Task& task) {
  slots_.push_back(std::make_shared<Slot>(task, shared_));
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
  Shared::submit(shared_, std::move(work), [delay](Executor& executor, std::function<void()> run) {
    executor.after(Lane::kTasks, delay, std::move(run));
  });
}

void Scheduler::run(std::function<void()> work) { Shared::post(shared_, Lane::kChores, std::move(work)); }

bool Scheduler::stopping() const { return shared_->stopped || shared_->failed; }

BlockingPool& Scheduler::commits() { return *commits_; }

void Scheduler::stop() {
  if (!shared_->close()) return;
  for (const auto& slot : slots_) slot->close();
  shared_->settle();
}

}  // namespace weir
