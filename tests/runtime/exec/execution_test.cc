#include "runtime/exec/execution.h"

#include <catch2/catch.hpp>
#include <latch>

#include "runtime/base/error.h"
#include "runtime/exec/asio_executor.h"
#include "tests/runtime/exec/played_execution.h"

namespace weir {
namespace {

using Log = std::vector<std::string>;

/// Run by real threads.
class Fixture : public PlayedExecution {
 public:
  void start(int parallelism, int threads = 3) {
    executor.emplace(ExecutorThreads{.tasks = threads});
    make(parallelism, *executor);
  }
  std::optional<AsioExecutor> executor;
  ~Fixture() { execution.reset(); }
};

}  // namespace

TEST_CASE(
    "a barrier cuts the rows of all tasks in one place: before it those that the positions say, behind it the others") {
  // in (3 tasks) and more (2) -> keyed by hash -> even by rebalance -> out
  Fixture f;
  const int in = f.add_source("in", 3), more = f.add_source("more", 1);
  const int keyed = f.add_step("keyed", {in, more}, {kHash, kHash});
  const int even = f.add_step("even", {keyed}, {kRebalance});
  f.add_step("out", {even}, {kForward}, true);
  std::atomic<bool> too_late{false};
  std::array<std::atomic<std::int64_t>, 8> committed{};
  f.steps["out"]->answer = f.steps["keyed"]->answer = nullptr;
  f.steps["even"]->answer = [&](const PlayedStep::Call& call) {
    auto& mine = committed.at(static_cast<std::size_t>(call.task));
    if (call.what == "committed") mine = call.number;
    if (call.what == "barrier" && call.number > 1) too_late = too_late || mine != call.number - 1;
    return Progress::kDone;
  };
  f.start(3);
  f.execution->add_splits(
      in, {PlayedSource::split(0, 900), PlayedSource::split(1, 500), PlayedSource::split(2), PlayedSource::split(3)});
  f.execution->add_splits(more, {PlayedSource::split(10, 100), PlayedSource::split(11)});
  f.execution->no_more_splits(in), f.execution->no_more_splits(more);
  f.execution->start();
  constexpr std::uint64_t kEpochs = 25;
  for (std::uint64_t e = 1; e <= kEpochs; ++e) {
    for (const PlayedSource* s : f.sources) s->allow(static_cast<std::int64_t>(40 * e));
    if (e == kEpochs) REQUIRE(f.journal.wait("out", "row", 900 + 500 + 100));  // so that some end before it
    f.execution->trigger({e}, e == kEpochs);
    REQUIRE(f.reports.wait_for({e}, f.execution->tasks()));
    f.execution->committed({e});
  }
  f.execution->stop();
  CHECK_FALSE(too_late);
  CHECK(f.reports.failures.empty());

  for (const std::string step : {"keyed", "even", "out"}) f.check_cuts(step, kEpochs, 3);
}

TEST_CASE("a trigger reaches every source task, and each task hands in one snapshot") {
  Fixture f;
  const int in = f.add_source("in");
  const int step = f.add_step("step", {in}, {kRebalance});
  f.add_step("out", {step}, {kForward}, true);
  f.start(3);
  CHECK(f.execution->tasks() == 6);
  f.execution->add_splits(in,
                          {PlayedSource::split(0), PlayedSource::split(1), PlayedSource::split(2), PlayedSource::split(3)});
  f.execution->start();
  for (std::uint64_t e = 1; e <= 3; ++e) {
    f.execution->trigger({e}, false);
    REQUIRE(f.reports.wait_for({e}, 6));
  }
  f.execution->stop();
  for (const auto& [epoch, tasks] : f.reports.snapshots) {
    CHECK(tasks.size() == 6);
    for (const auto& [task, snapshots] : tasks) {
      CHECK(snapshots.size() == 1);
      CHECK(snapshots[0].splits.size() == (task == 0 ? 2u : task < 3 ? 1u : 0u));  // dealt out in turn
    }
  }
  for (int task = 0; task < 3; ++task) CHECK(f.journal.of("out", task) == Log{"barrier 1", "barrier 2", "barrier 3"});
}

TEST_CASE("splits that are found later go to the tasks whose turn it is") {
  Fixture f;
  const int in = f.add_source("in");
  f.add_step("out", {in}, {kForward}, true);
  f.start(2);
  f.execution->add_splits(in, {PlayedSource::split(0)});
  f.execution->start();
  f.execution->add_splits(in, {PlayedSource::split(1), PlayedSource::split(2)});
  f.execution->trigger({1}, false);
  REQUIRE(f.reports.wait_for({1}, 2));
  f.execution->stop();
  const auto partitions = [&](int task) {
    std::vector<int> all;
    for (const SplitState& s : f.reports.snapshots[{1}][task].at(0).splits) all.push_back(s.partition);
    return all;
  };
  CHECK(partitions(0) == std::vector<int>{0, 2});
  CHECK(partitions(1) == std::vector<int>{1});
}

TEST_CASE("the end of the input comes after all rows, to every step in turn, and each task finishes once") {
  Fixture f;
  const int in = f.add_source("in"), more = f.add_source("more");
  const int step = f.add_step("step", {in, more}, {kHash, kHash});
  f.add_step("out", {step}, {kForward}, true);
  f.start(2);
  f.execution->add_splits(in, {PlayedSource::split(0, 5), PlayedSource::split(1, 7)});
  f.execution->add_splits(more, {PlayedSource::split(2, 30)});
  f.execution->start();
  for (const PlayedSource* s : f.sources) s->allow(1000);
  f.execution->no_more_splits(in);
  REQUIRE(f.journal.wait("out", "row", 42));
  REQUIRE(f.reports.wait([&] { return f.reports.finals.size() == 2; }));  // `more` may still get splits
  f.execution->trigger({1}, false);                                       // goes through beside those that ended
  REQUIRE(f.reports.wait_for({1}, 6));
  CHECK(f.reports.snapshots[{1}].size() == 4);
  f.execution->no_more_splits(more);
  REQUIRE(f.reports.wait([&] { return f.reports.finals.size() == 6; }));
  f.execution->stop();
  for (const auto& [task, finals] : f.reports.finals) CHECK(finals.size() == 1);
  CHECK(f.reports.finals[0][0].splits.at(0) == SplitState{.partition = 0, .next = 5, .end = 5, .ended = true});
  for (int task = 0; task < 2; ++task)
    for (const std::string name : {"step", "out"}) {
      const Log log = f.journal.of(name, task);
      REQUIRE(log.size() >= 2);
      CHECK(log.back() == "end");
      CHECK(log.at(log.size() - 2) == "barrier 1");
      CHECK(std::count(log.begin(), log.end(), "end") == 1);
    }
}

TEST_CASE("a barrier goes through while rows wait, and nothing is lost once they are taken") {
  Fixture f;
  const int in = f.add_source("in", 1);
  f.add_step("out", {in}, {kRebalance}, true);
  std::mutex mutex;
  Waker waker;
  std::latch waits(1);
  std::atomic<bool> open{false};
  f.steps["out"]->answer = [&](const PlayedStep::Call& call) {
    if (open || call.what == "committed") return Progress::kDone;
    std::lock_guard lock(mutex);
    if (!waker) waits.count_down();
    waker = call.waker;
    return Progress::kWait;
  };
  f.start(1);
  f.execution->add_splits(in, {PlayedSource::split(0, 500)});
  f.execution->no_more_splits(in);
  f.execution->start();
  f.sources[0]->allow(500);
  REQUIRE(f.journal.wait("out", "row", 1));
  f.execution->trigger({1}, false);
  REQUIRE(f.reports.wait([&] { return f.reports.snapshots[{1}].contains(0); }));  // the source's own: it is not held up
  const std::int64_t position = f.reports.snapshots[{1}][0][0].splits[0].next;
  // What is on its way: one at work, those in the channel, and one that was refused.
  CHECK(position <= static_cast<std::int64_t>(Execution::kChannelBatches) + 2);
  CHECK(f.journal.of("out") == Log{"row 0:0"});
  waits.wait();
  open = true;
  {
    std::lock_guard lock(mutex);
    waker();
  }
  REQUIRE(f.reports.wait([&] { return f.reports.finals.size() == 2; }));
  f.execution->stop();
  Log wanted;
  for (std::int64_t n = 0; n < 500; ++n) {
    if (n == position) wanted.push_back("barrier 1");
    wanted.push_back(fmt::format("row 0:{}", n));
  }
  wanted.push_back("end");
  CHECK(f.journal.of("out") == wanted);
}

TEST_CASE("what a task throws is reported once, and ends the attempt") {
  Fixture f;
  const int in = f.add_source("in");
  f.add_step("out", {in}, {kRebalance}, true);
  const bool by_reader = GENERATE(false, true);
  if (by_reader)
    f.sources[0]->before_row = [](const SplitState&) { throw Error(Blame::kEnvironment, "the broker is gone"); };
  else
    f.steps["out"]->answer = [](const PlayedStep::Call&) -> Progress {
      throw Error(Blame::kEnvironment, "the broker is gone");
    };
  f.start(3);
  f.execution->add_splits(in, {PlayedSource::split(0), PlayedSource::split(1), PlayedSource::split(2)});
  f.execution->start();
  f.sources[0]->allow(100);
  REQUIRE(f.reports.wait([&] { return !f.reports.failures.empty(); }));
  CHECK(f.failure() == "the broker is gone");
  f.execution->stop();
  const auto before = f.journal.entries();
  f.sources[0]->allow(1000);
  f.execution->trigger({1}, false);
  CHECK(f.journal.entries() == before);
  CHECK(f.reports.failures.size() == 1);
}

TEST_CASE("a commit is heard by all, by readers with the positions of its epoch; the last one at the end, too") {
  Fixture f;
  const int in = f.add_source("in", 1);
  f.add_step("out", {in}, {kRebalance}, true);
  f.start(1);
  f.execution->add_splits(in, {PlayedSource::split(0)});
  f.execution->start();
  f.sources[0]->allow(3);
  REQUIRE(f.journal.wait("out", "row", 3));
  f.execution->trigger({1}, false);
  REQUIRE(f.reports.wait_for({1}, 2));
  f.sources[0]->allow(5);
  REQUIRE(f.journal.wait("out", "row", 5));
  f.execution->committed({1});
  REQUIRE(f.journal.wait("in", "committed", 1));
  REQUIRE(f.journal.wait("out", "committed", 1));
  f.execution->trigger({2}, true);
  REQUIRE(f.reports.wait_for({2}, 2));
  f.execution->wind_up({2});
  const auto entries = f.journal.entries();
  std::vector<std::pair<std::int64_t, std::int64_t>> heard;  // epoch, position
  for (const Journal::Entry& e : entries)
    if (e.step == "in") heard.emplace_back(e.number, e.split);
  CHECK(heard == std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 3}, {2, 5}});
}

TEST_CASE("sources stop when enough rows were read, and say so once; what was done is counted") {
  Fixture f;
  const int in = f.add_source("in", 10);
  const int out = f.add_step("out", {in}, {kRebalance}, true);
  std::atomic<int> told{0};
  f.attempt.context().rows_left = 25;
  f.attempt.context().out_of_rows = [&] { ++told; };
  f.start(2);
  f.execution->add_splits(in, {PlayedSource::split(0), PlayedSource::split(1)});
  const std::uint64_t moves = f.execution->moves();
  f.execution->start();
  f.sources[0]->allow(1000);
  REQUIRE(f.journal.wait("out", "row", 30));
  f.execution->trigger({1}, true);
  REQUIRE(f.reports.wait_for({1}, 4));
  f.execution->stop();
  CHECK(told == 1);
  const auto emitted = static_cast<std::uint64_t>(f.sources[0]->emitted());
  CHECK(emitted <= 40);  // both tasks may be at their last batch
  CHECK(f.execution->totals(in).rows_out == emitted);
  CHECK(f.execution->totals(out).rows_in == emitted);
  CHECK(f.execution->totals(out).own.at("batches") == emitted / 10);
  CHECK(f.execution->moves() > moves);
}

}  // namespace weir
