#include "runtime/job/split_discovery.h"

#include <catch2/catch.hpp>

#include "runtime/base/error.h"

namespace weir {
namespace {

SplitState split(std::string topic, std::int32_t partition = 0) {
  return {.topic = std::move(topic), .partition = partition};
}

std::vector<std::string> labels(const std::vector<SplitState>& splits) {
  std::vector<std::string> out;
  for (const SplitState& s : splits) out.push_back(s.label());
  return out;
}
using Labels = std::vector<std::string>;

/// Finds everything that is not known.
class Cluster final : public SplitEnumerator {
 public:
  std::vector<SplitState> discover(const std::vector<SplitState>& known) override {
    ++looks;
    if (fails) throw Error(Blame::kEnvironment, "no broker");
    std::vector<SplitState> found;
    for (const SplitState& s : there)
      if (std::none_of(known.begin(), known.end(), [&](const SplitState& k) { return k.same_split(s); })) found.push_back(s);
    return found;
  }
  Duration interval() const override { return Duration::milliseconds(1); }

  std::vector<SplitState> there;
  int looks = 0;
  bool fails = false;
};

/// A pool whose work waits until the test lets it run.
class SlowPool final : public BlockingPool {
 public:
  void run(std::function<void()> work) override { waiting.push_back(std::move(work)); }
  void work_off() {
    for (const auto& work : std::exchange(waiting, {})) work();
  }
  std::vector<std::function<void()>> waiting;
};

struct Discovering {
  Cluster cluster;
  SlowPool pool;
  ControlLoop loop;
  ControlLoop::Lease lease{loop};
  std::vector<SplitState> known{split("in", 0)}, added;
  SplitDiscovery discovery{
      {"in", cluster, known, [this](const std::vector<SplitState>& s) { added.insert(added.end(), s.begin(), s.end()); }},
      pool,
      lease};

  /// Lets so many intervals pass.
  void intervals(int count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(count);
    while (std::chrono::steady_clock::now() < end) loop.run_one(Duration::milliseconds(1));
  }
  void look() {
    intervals(5);
    pool.work_off();
    intervals(5);
  }
};

}  // namespace

TEST_CASE("a look that takes longer than the interval is not joined by another") {
  Discovering d;
  d.cluster.there = {split("in", 0), split("in", 1)};
  d.intervals(20);
  CHECK(d.pool.waiting.size() == 1);
  d.look();
  CHECK(d.cluster.looks == 1);
  CHECK(labels(d.added) == Labels{"in-1"});
  d.look();
  CHECK(d.cluster.looks == 2);
  CHECK(labels(d.added) == Labels{"in-1"});
  CHECK(labels(d.known) == Labels{"in-0", "in-1"});
}

TEST_CASE("a look that failed is made again") {
  Discovering d;
  d.cluster.there = {split("in", 1)};
  d.cluster.fails = true;
  d.look();
  CHECK(d.added.empty());
  d.cluster.fails = false;
  d.look();
  CHECK(labels(d.added) == Labels{"in-1"});
}

TEST_CASE("looks that fail follow each other later and later, and one that succeeds ends that") {
  const Duration interval = Duration::milliseconds(100);
  CHECK(next_wait(interval, 0) == interval);
  CHECK(next_wait(interval, 1) == Duration::milliseconds(200));
  CHECK(next_wait(interval, 4) == Duration::milliseconds(1600));
  CHECK(next_wait(interval, 1000) == Duration::seconds(60));
  CHECK(next_wait(Duration::seconds(300), 3) == Duration::seconds(300));
  Discovering d;
  d.cluster.fails = true;
  const auto looks_in = [&](int milliseconds) {
    const int before = d.cluster.looks;
    for (int i = 0; i < milliseconds; i += 2) d.intervals(2), d.pool.work_off();
    return d.cluster.looks - before;
  };
  CHECK(looks_in(300) < 12);  // of 300 intervals
  CHECK(d.cluster.looks > 3);
  d.cluster.fails = false;
  while (looks_in(10) == 0) {
  }
  CHECK(looks_in(100) > 5);
}

TEST_CASE("a split that is there is never added again, whatever is found") {
  std::vector<SplitState> known{split("in", 0)};
  known[0].next = 400;
  CHECK(labels(add_unknown(known, {split("in", 0), split("in", 1), split("in", 1), split("out", 0)})) ==
        Labels{"in-1", "out-0"});
  CHECK(labels(known) == Labels{"in-0", "in-1", "out-0"});
  CHECK(known[0].next == 400);
  CHECK(add_unknown(known, {split("out", 0)}).empty());
}

TEST_CASE("when the lease has ended nothing is added any more") {
  auto d = std::make_unique<Discovering>();
  ControlLoop other;
  std::vector<SplitState> known, added;
  Cluster cluster;
  cluster.there = {split("in", 1)};
  SlowPool pool;
  {
    ControlLoop::Lease lease(other);
    SplitDiscovery discovery({"in", cluster, known, [&](const std::vector<SplitState>& s) { added = s; }}, pool, lease);
    for (int i = 0; i < 20 && pool.waiting.empty(); ++i) other.run_one(Duration::milliseconds(5));
    REQUIRE(pool.waiting.size() == 1);
    pool.work_off();  // posts its answer
  }
  other.run_one(Duration::milliseconds(5));
  CHECK(added.empty());
}

}  // namespace weir
