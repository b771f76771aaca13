// Whole dataflows on one thread, under many seeds: what runs next, and how long it takes, is the seed's choice.
#include <catch2/catch.hpp>
#include <set>

#include "runtime/base/error.h"
#include "runtime/exec/simulated_executor.h"
#include "tests/runtime/exec/played_execution.h"

namespace weir {
namespace {

/// in (3 tasks) and more (2) -> keyed by hash -> even by rebalance -> out, with a barrier every now and then.
class SimulatedDataflow : public PlayedExecution {
 public:
  static constexpr std::uint64_t kEpochs = 6;

  explicit SimulatedDataflow(std::uint64_t seed) : executor(seed) {
    in = add_source("in", 3), more = add_source("more", 1);
    const int keyed = add_step("keyed", {in, more}, {kHash, kHash});
    const int even = add_step("even", {keyed}, {kRebalance});
    add_step("out", {even}, {kForward}, true);
    for (const auto& [name, step] : steps)
      step->answer = [this, &heard = heard_[name]](const PlayedStep::Call& call) { return answer(call, heard[call.task]); };
    make(3, executor);
    execution->add_splits(
        in, {PlayedSource::split(0, 40), PlayedSource::split(1, 25), PlayedSource::split(2), PlayedSource::split(3)});
    execution->add_splits(more, {PlayedSource::split(10, 10), PlayedSource::split(11)});
    execution->no_more_splits(in), execution->no_more_splits(more);
    execution->start();
    executor.after(Lane::kControl, {}, [this] { trigger(); });
  }
  ~SimulatedDataflow() { execution.reset(); }

  /// Runs until all have passed the last barrier, or ended.
  void run() {
    REQUIRE(executor.run_until([this] { return !reports.failures.empty() || committed == kEpochs; }, Duration::seconds(60)));
  }

  SimulatedExecutor executor;
  int in, more;
  std::uint64_t committed = 0;
  bool too_late = false;  ///< a task passed a barrier before it heard of the commit before
  std::function<void(const PlayedStep::Call&)> before_answer;

 private:
  void trigger() {
    for (const PlayedSource* s : sources) s->allow(static_cast<std::int64_t>(10 * (committed + 1)));
    executor.after(Lane::kControl, Duration::milliseconds(static_cast<std::int64_t>(executor.pick(3) * executor.pick(20))),
                   [this] {
                     execution->trigger({committed + 1}, committed + 1 == kEpochs);
                     await();
                   });
  }
  /// The snapshots are all there, some time later the checkpoint is committed.
  void await() {
    if (!reports.has({committed + 1}, execution->tasks()))
      return executor.after(Lane::kControl, Duration::milliseconds(1), [this] { await(); });
    executor.post(Lane::kCommits, [this] {
      executor.post(Lane::kControl, [this] {
        ++committed;
        execution->committed({committed});
        if (committed < kEpochs) trigger();
      });
    });
  }
  /// Now and then a step waits for something outside, or has more to say than its output takes; and other threads get on
  /// while it is at work.
  Progress answer(const PlayedStep::Call& call, std::int64_t& heard) {
    if (before_answer) before_answer(call);
    for (std::uint64_t n = executor.pick(call.what == "resume" ? 6 : 20) == 0 ? executor.pick(100) : 0; n > 0; --n)
      executor.run_one();
    if (call.what == "committed") {
      heard = call.number;
      return Progress::kDone;
    }
    if (call.what == "barrier") too_late = too_late || heard != call.number - 1;
    switch (executor.pick(6)) {
      case 0:
        executor.after(Lane::kChores, Duration::milliseconds(static_cast<std::int64_t>(executor.pick(10))),
                       [waker = call.waker] { waker(); });
        return Progress::kWait;
      case 1: return Progress::kMore;
      default: return Progress::kDone;
    }
  }
  std::map<std::string, std::map<int, std::int64_t>> heard_;  ///< the newest commit, by step and task
};

std::string order_under(std::uint64_t seed) {
  SimulatedExecutor executor(seed);
  std::string order;
  for (const char c : {'a', 'b', 'c', 'd'}) executor.post(Lane::kTasks, [&order, c] { order += c; });
  for (const char c : {'1', '2', '3', '4'}) executor.post(Lane::kControl, [&order, c] { order += c; });
  for (const char c : {'w', 'x', 'y', 'z'}) executor.post(Lane::kChores, [&order, c] { order += c; });
  while (executor.run_one()) {
  }
  return order;
}

}  // namespace

TEST_CASE("a seed always gives the same order, another another one, and decisions keep theirs") {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string order = order_under(seed);
    CHECK(order == order_under(seed));
    CHECK(order.size() == 12);
    std::string decisions;
    std::copy_if(order.begin(), order.end(), std::back_inserter(decisions), [](char c) { return c < 'a'; });
    CHECK(decisions == "1234");
    orders.insert(order);
  }
  CHECK(orders.size() > 45);
}

TEST_CASE("time jumps to the next timer when nothing else is left, and to none that is not asked for") {
  SimulatedExecutor executor(7);
  const Duration begun = executor.clock().steady();
  std::string order;
  executor.after(Lane::kChores, Duration::seconds(3600), [&] { order += "hour "; });
  executor.after(Lane::kControl, Duration::seconds(2), [&] { order += "two "; });
  executor.after(Lane::kControl, Duration::seconds(1), [&] {
    order += "one ";
    executor.after(Lane::kTasks, Duration::milliseconds(500), [&] { order += "and a half "; });
  });
  CHECK_FALSE(executor.run_until([] { return false; }, Duration::seconds(10)));
  CHECK(order == "one and a half two hour ");
  CHECK(executor.clock().steady() - begun >= Duration::seconds(3600));
  CHECK_FALSE(executor.run_one());
}

TEST_CASE("under any order of events a barrier cuts the rows of all tasks in one place") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    SimulatedDataflow f(seed);
    f.run();
    REQUIRE(f.reports.failures.empty());
    REQUIRE_FALSE(f.too_late);
    for (const std::string step : {"keyed", "even", "out"}) f.check_cuts(step, SimulatedDataflow::kEpochs, 3);
    for (const auto& [epoch, tasks] : f.reports.snapshots)
      for (const auto& [task, handed_in] : tasks) REQUIRE(handed_in.size() == 1);
  }
}

TEST_CASE("a run under a seed can be repeated: every operator sees the same again") {
  const auto history = [](std::uint64_t seed) {
    SimulatedDataflow f(seed);
    f.run();
    return f.journal.entries();
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) CHECK(history(seed) == history(seed));
  CHECK(history(1) != history(2));
}

TEST_CASE("a failure ends a dataflow wherever it comes, and nothing runs behind it") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    SimulatedDataflow f(seed);
    std::uint64_t left = f.executor.pick(200);
    f.before_answer = [&](const PlayedStep::Call&) {
      if (left-- == 0) throw Error(Blame::kEnvironment, "the broker is gone");
    };
    f.run();
    if (f.reports.failures.empty()) continue;  // there were fewer calls
    CHECK(f.failure() == "the broker is gone");
    f.execution->stop();
    const auto before = f.journal.entries();
    f.executor.run_until([] { return false; }, Duration::seconds(1));
    CHECK(f.journal.entries() == before);
    CHECK(f.reports.failures.size() == 1);
  }
}

}  // namespace weir
