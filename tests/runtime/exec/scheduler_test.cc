#include "runtime/exec/scheduler.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <future>
#include <latch>
#include <thread>

#include "runtime/base/error.h"
#include "runtime/exec/asio_executor.h"

namespace weir {
namespace {

constexpr auto kLimit = std::chrono::seconds(30);  // of what happens at once unless it never does

struct NoListener final : TaskListener {
  void on_snapshot(int, Epoch, TaskSnapshot) override {}
  void on_finished(int, TaskSnapshot) override {}
};

/// A task whose input is a function; notices when two threads are in it.
struct PlayedTask {
  struct Input final : TaskInput {
    explicit Input(PlayedTask& t) : task(t) {}
    InputStatus poll_next() override {
      if (task.inside.exchange(true)) task.overlapped = true;
      ++task.polls;
      const InputStatus status = task.poll();
      task.inside = false;
      return status;
    }
    PlayedTask& task;
  };
  explicit PlayedTask(std::function<InputStatus()> p) : poll(std::move(p)) {
    task.set_input(std::make_unique<Input>(*this));
  }
  NoListener listener;
  std::function<InputStatus()> poll;
  std::atomic<bool> inside{false}, overlapped{false};
  std::atomic<int> polls{0};
  Task task{0, "played", listener, system_clock()};
};

/// Counts to a number; waiting for it has a limit.
class Countdown {
 public:
  explicit Countdown(int n) : left_(n) {}
  void count() {
    std::lock_guard lock(mutex_);
    if (--left_ == 0) done_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, kLimit, [&] { return left_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int left_;
};

const auto kNoFailure = [](std::exception_ptr) { FAIL("failed"); };
const auto kNothing = [] { return InputStatus::kNothingAvailable; };

}  // namespace

TEST_CASE("two tasks that wake each other never both sleep") {
  constexpr int kTurns = 30'000;
  std::atomic<int> turn{0};
  Countdown done(1);
  std::vector<Waker> wakers(2);
  const auto play = [&](int me) {
    return [&, me] {
      const int now = turn.load(std::memory_order_relaxed);
      if (now >= kTurns || now % 2 != me) return InputStatus::kNothingAvailable;
      turn.store(now + 1, std::memory_order_relaxed);
      if (now + 1 == kTurns) done.count();
      wakers[static_cast<std::size_t>(1 - me)]();
      return InputStatus::kNothingAvailable;
    };
  };
  PlayedTask a(play(0)), b(play(1));
  AsioExecutor executor({.tasks = 3});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(a.task), scheduler.add(b.task);
  wakers = {scheduler.waker(a.task), scheduler.waker(b.task)};
  scheduler.start();
  CHECK(done.wait());
  scheduler.stop();
  CHECK(turn == kTurns);
}

TEST_CASE("a task that is woken while it runs runs once more, and only once") {
  PlayedTask a(kNothing);
  Countdown done(1), settled(1);
  Waker waker;
  a.poll = [&] {
    if (a.polls == 1) waker(), waker();
    if (a.polls == 2) done.count();
    return InputStatus::kNothingAvailable;
  };
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(a.task);
  waker = scheduler.waker(a.task);
  scheduler.start();
  CHECK(done.wait());
  scheduler.after(Duration{0}, [&] { settled.count(); });  // one thread: a third step would have come before
  CHECK(settled.wait());
  CHECK(a.polls == 2);
}

TEST_CASE("what many threads post is done, each once, by one thread at a time") {
  constexpr int kThreads = 4, kEach = 3'000;
  PlayedTask a(kNothing), b(kNothing);
  Countdown done(2 * kThreads * kEach);
  std::atomic<bool> in_a{false}, in_b{false}, overlapped{false};
  const auto work = [&](std::atomic<bool>& in) {
    if (in.exchange(true)) overlapped = true;
    in = false;
    done.count();
  };
  AsioExecutor executor({.tasks = 3});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(a.task), scheduler.add(b.task);
  scheduler.start();
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) a.task.post([&] { work(in_a); }), b.task.post([&] { work(in_b); });
    });
  CHECK(done.wait());
  threads.clear();
  scheduler.stop();
  CHECK_FALSE(overlapped);
  CHECK_FALSE((a.overlapped || b.overlapped));
}

TEST_CASE("a thing that was made ready before the waker was used is seen, whoever uses it") {
  // Takes one thing a poll and parks between: the last waker used must make it look once more.
  constexpr int kThreads = 3, kEach = 5'000;
  std::atomic<int> ready{0};
  Countdown done(kThreads * kEach);
  PlayedTask a([&] {
    if (ready.load() == 0) return InputStatus::kNothingAvailable;
    for (int n = ready.exchange(0); n > 0; --n) done.count();
    return InputStatus::kMoreAvailable;
  });
  AsioExecutor executor({.tasks = 2});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(a.task);
  scheduler.start();
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, waker = scheduler.waker(a.task)] {
      for (int i = 0; i < kEach; ++i) ready.fetch_add(1), waker();
    });
  CHECK(done.wait());
}

TEST_CASE("an operator that waits is resumed by its waker, however close to its answer it is used") {
  // Each process() waits; the waker is used by another thread at about the moment at which the task parks.
  struct Waiting final : Operator {
    Progress process(int, BatchPtr, Output&) override { return ++asked, Progress::kWait; }
    Progress on_watermark(Timestamp, Output&) override { return ++asked, Progress::kWait; }
    Progress resume(Output&) override { return ++resumed, Progress::kDone; }
    std::atomic<int> asked{0}, resumed{0};
  };
  constexpr int kTimes = 4'000;
  NoListener listener;
  Task task(0, "waits", listener, system_clock());
  TaskCounters counters;
  auto op = std::make_unique<Waiting>();
  Waiting& waiting = *op;
  ChainNode& node = task.add_node(std::move(op), 0, counters);
  struct Input final : TaskInput {
    explicit Input(ChainNode& n) : node(n) {}
    InputStatus poll_next() override {
      if (given == kTimes) return InputStatus::kNothingAvailable;
      node.offer(Watermark{{++given}}, 0);
      return InputStatus::kMoreAvailable;
    }
    ChainNode& node;
    int given = 0;
  };
  task.set_input(std::make_unique<Input>(node));
  AsioExecutor executor({.tasks = 2});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(task);
  const Waker waker = node.waker(scheduler.waker(task));
  scheduler.start();
  const auto until = std::chrono::steady_clock::now() + kLimit;
  bool lost = false;
  for (int i = 1; i <= kTimes && !lost; ++i) {
    while (waiting.asked.load() < i && !(lost = std::chrono::steady_clock::now() > until)) std::this_thread::yield();
    waker();
  }
  while (!lost && waiting.resumed.load() < kTimes && !(lost = std::chrono::steady_clock::now() > until))
    std::this_thread::yield();
  scheduler.stop();
  CHECK_FALSE(lost);
  CHECK(waiting.resumed == kTimes);
}

TEST_CASE("a task that always has something does not keep the others from their turn") {
  Countdown turns(3);
  PlayedTask busy([] { return InputStatus::kMoreAvailable; });
  PlayedTask other([&] {
    turns.count();
    return InputStatus::kNothingAvailable;
  });
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(busy.task), scheduler.add(other.task);
  scheduler.start();
  for (int i = 0; i < 3; ++i) {
    const int before = other.polls;
    const auto until = std::chrono::steady_clock::now() + kLimit;
    while (other.polls == before && std::chrono::steady_clock::now() < until) other.task.wake(), std::this_thread::yield();
  }
  CHECK(turns.wait());
  scheduler.stop();
  CHECK(busy.polls > 0);
}

TEST_CASE("nothing is stepped before the start, and everything once after it") {
  PlayedTask a(kNothing);
  Countdown done(1);
  a.poll = [&] { return done.count(), InputStatus::kNothingAvailable; };
  std::atomic<bool> started{false}, too_early{false};
  AsioExecutor executor({.tasks = 2});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(a.task);
  a.task.post([&] { too_early = !started; });
  scheduler.waker(a.task)();
  started = true;
  scheduler.start();
  CHECK(done.wait());
  CHECK_FALSE(too_early);
}

TEST_CASE("a task that asked for nothing is not stepped again") {
  PlayedTask a(kNothing), b(kNothing);
  Countdown first(2), mail(100);
  a.poll = b.poll = [&] { return first.count(), InputStatus::kNothingAvailable; };
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, kNoFailure);
  scheduler.add(a.task), scheduler.add(b.task);
  scheduler.start();
  REQUIRE(first.wait());
  for (int i = 0; i < 100; ++i) a.task.post([&] { mail.count(); });
  CHECK(mail.wait());
  scheduler.stop();
  CHECK(b.polls == 1);
}

TEST_CASE("what throws is reported once, and nothing is stepped after it") {
  std::atomic<int> failures{0};
  std::promise<std::string> text;
  const auto on_failure = [&](std::exception_ptr reason) {
    if (++failures > 1) return;
    try {
      std::rethrow_exception(reason);
    } catch (const std::exception& e) {
      text.set_value(e.what());
    }
  };
  PlayedTask bad([]() -> InputStatus { throw Error(Blame::kData, "bad row"); }), worse(bad.poll), good(kNothing);
  const int way = GENERATE(0, 1, 2);
  {
    AsioExecutor executor({.tasks = 1});
    Scheduler scheduler(executor, on_failure);
    scheduler.add(good.task), scheduler.add(bad.task), scheduler.add(worse.task);
    if (way == 0) scheduler.start();
    if (way == 1) scheduler.run([] { throw Error(Blame::kData, "bad row"); });
    if (way == 2) scheduler.after(Duration{0}, [] { throw Error(Blame::kData, "bad row"); });
    auto said = text.get_future();
    REQUIRE(said.wait_for(kLimit) == std::future_status::ready);
    CHECK(said.get() == "bad row");
    const int before = good.polls;
    if (way != 0) scheduler.start();
    good.task.wake(), worse.task.wake(), bad.task.wake();
    std::promise<void> behind;  // one thread: what was woken has had its turn before this
    scheduler.after(Duration{0}, [&] { behind.set_value(); });
    REQUIRE(behind.get_future().wait_for(kLimit) == std::future_status::ready);
    scheduler.stop();
    CHECK(good.polls == before);
  }
  CHECK(failures == 1);
  CHECK(bad.polls + worse.polls == (way == 0 ? 1 : 0));
}

TEST_CASE("work is done once after its delay, and not at all after a stop") {
  AsioExecutor executor({.tasks = 1});
  Scheduler scheduler(executor, kNoFailure);
  std::promise<std::chrono::steady_clock::time_point> ran;
  const auto begun = std::chrono::steady_clock::now();
  std::vector<int> order;
  scheduler.after(Duration::milliseconds(30), [&] { order.push_back(30), ran.set_value(std::chrono::steady_clock::now()); });
  scheduler.after(Duration::milliseconds(10), [&] { order.push_back(10); });
  auto at = ran.get_future();
  REQUIRE(at.wait_for(kLimit) == std::future_status::ready);
  CHECK(at.get() - begun >= std::chrono::milliseconds(30));
  CHECK(order == std::vector<int>{10, 30});
  const auto waits = std::make_shared<int>(0);
  scheduler.after(Duration::seconds(3600), [waits] { ++*waits; });
  scheduler.stop();
  scheduler.after(Duration{0}, [waits] { ++*waits; });
  scheduler.run([waits] { ++*waits; });
  CHECK(*waits == 0);
}

TEST_CASE("a stop waits for what runs, and lets nothing else begin") {
  AsioExecutor executor({.tasks = 2});
  Scheduler scheduler(executor, kNoFailure);
  PlayedTask a(kNothing);
  const bool blocking = GENERATE(false, true);
  std::latch inside(1), go_on(1);
  std::atomic<int> done{0};
  const auto work = [&] { inside.count_down(), go_on.wait(), ++done; };
  a.poll = [&] {
    if (a.polls == 1 && !blocking) work();
    return blocking ? InputStatus::kNothingAvailable : InputStatus::kMoreAvailable;
  };
  scheduler.add(a.task);
  scheduler.start();
  if (blocking) scheduler.run(work);
  inside.wait();
  std::promise<void> stopped;
  std::jthread stopping([&] { scheduler.stop(), stopped.set_value(); });
  auto end = stopped.get_future();
  CHECK(end.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  go_on.count_down();
  REQUIRE(end.wait_for(kLimit) == std::future_status::ready);
  CHECK(done == 1);
  const int polls = a.polls;
  a.task.wake();
  scheduler.stop();
  CHECK(a.polls == polls);
}

TEST_CASE("a waker may be used when the scheduler is gone") {
  PlayedTask a(kNothing);
  Waker waker;
  {
    AsioExecutor executor({.tasks = 1});
    Scheduler scheduler(executor, kNoFailure);
    scheduler.add(a.task);
    waker = scheduler.waker(a.task);
  }
  waker();
  CHECK(a.polls == 0);
}

}  // namespace weir
