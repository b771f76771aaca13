#include "tests/support/test_task.h"

namespace weir {

TestPool::TestPool() : thread_([this] { loop(); }) {}

TestPool::~TestPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TestPool::run(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  changed_.notify_all();
}

void TestPool::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return work_.empty() && !busy_; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void TestPool::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !work_.empty(); });
    if (work_.empty()) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    work = nullptr;
    lock.lock();
    busy_ = false;
    if (thrown && !error_) error_ = thrown;
    changed_.notify_all();
  }
}

TestAttempt::TestAttempt() { start_again("00000000000000aa", Epoch{1}); }

void TestAttempt::start_again(std::string run, Epoch first_epoch) {
  pool.settle();
  context_ = std::make_unique<AttemptContext>();
  context_->job = "job";
  context_->home = "0a0b0c0d";
  context_->run = {std::move(run)};
  context_->first_epoch = first_epoch;
  context_->clock = &clock;
  context_->blocking = &pool;
  context_->memory = 64 << 20;
}

TestTask::TestTask(TestAttempt& attempt, std::string name, int index, int parallelism) : attempt_(attempt) {
  context_.attempt = &attempt.context();
  context_.name = std::move(name);
  context_.index = index;
  context_.parallelism = parallelism;
  context_.counters = &counters;
  context_.waker = [wakes = wakes_] {
    std::lock_guard lock(wakes->mutex);
    wakes->woken = true;
    wakes->changed.notify_all();
  };
  context_.wake_after = [this](Duration d) { wake_after_ = d; };
}

bool TestTask::wait_woken(std::chrono::milliseconds limit) {
  std::unique_lock lock(wakes_->mutex);
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!wakes_->woken && std::chrono::steady_clock::now() < end) {
    wakes_->changed.wait_for(lock, std::chrono::milliseconds(5));
    if (wakes_->woken) break;
    lock.unlock();
    if (limit > std::chrono::seconds(1)) attempt_.pool.settle();
    lock.lock();
  }
  return std::exchange(wakes_->woken, false);
}

}  // namespace weir
