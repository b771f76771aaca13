#include "runtime/exec/watermark_alignment.h"

#include "runtime/exec/simulated_executor.h"
#include "tests/runtime/exec/played_execution.h"

namespace weir {
namespace {

/// Tasks in an alignment with a max_drift of 10 us; counts how often each was woken.
struct AlignmentFixture {
  explicit AlignmentFixture(int tasks) : woken(static_cast<std::size_t>(tasks)), positions(woken.size()) {
    for (int& n : woken) alignment.add([&n] { ++n; });
  }
  void set(int task, std::optional<Timestamp> w) {
    positions[static_cast<std::size_t>(task)] = w;
    alignment.set(task, w);
  }
  void set(int task, std::int64_t w) { set(task, Timestamp{w}); }
  void set_out(int task) { set(task, std::nullopt); }
  std::string held() {
    std::string text;
    for (int i = 0; i < static_cast<int>(woken.size()); ++i) {
      const auto& at = positions[static_cast<std::size_t>(i)];
      text += at && alignment.wait(i, *at) ? 'x' : '.';
    }
    return text;
  }
  WatermarkAlignment alignment{Duration{10}};
  std::vector<int> woken;
  std::vector<std::optional<Timestamp>> positions;
};

/// fast and slow meet in a union. Rows n of a split have the event time n us; max_drift is 100 us.
class TwoSources : public PlayedExecution {
 public:
  static constexpr std::int64_t kDrift = 100, kBatch = 4;

  explicit TwoSources(std::uint64_t seed, int parallelism = 1) : parallelism_(parallelism), executor(seed) {
    fast = add_source("fast", kBatch), slow = add_source("slow", kBatch);
    for (const int v : {fast, slow}) graph.vertices[static_cast<std::size_t>(v)].event_time = EventTime{.column = 1};
    const int both = add_step("both", {fast, slow}, {kHash, kHash});
    add_step("out", {both}, {kForward}, true);
    attempt.context().clock = &executor.clock();
    attempt.context().max_drift = Duration{kDrift};
  }
  ~TwoSources() { execution.reset(); }

  void idle_after(Duration d) {
    for (const int v : {fast, slow}) graph.vertices[static_cast<std::size_t>(v)].event_time->idle_after = d;
  }
  void start(const std::vector<SplitState>& of_fast, const std::vector<SplitState>& of_slow) {
    make(parallelism_, executor);
    for (const auto& [v, splits] : {std::pair(fast, &of_fast), std::pair(slow, &of_slow)}) {
      execution->add_splits(v, *splits);
      execution->no_more_splits(v);
    }
    execution->start();
  }
  /// Lets slow be read up to row `n`, and runs until nothing moves any more.
  void allow_slow(std::int64_t n) {
    sources[1]->allow(n);
    while (executor.run_one()) {
    }
    REQUIRE(reports.failures.empty());
  }
  void allow_fast(std::int64_t n) { sources[0]->allow(n); }
  /// Rows that the union has of a split.
  std::int64_t seen(int split) const {
    const auto entries = journal.entries();
    return std::count_if(entries.begin(), entries.end(),
                         [&](const auto& e) { return e.step == "both" && e.what == "row" && e.split == split; });
  }
  /// How far fast was read when slow stands at row `n`: up to a batch beyond the drift.
  bool is_held(std::int64_t of_fast, std::int64_t n) const { return of_fast > n + kDrift && of_fast <= n + kDrift + kBatch; }

 private:
  const int parallelism_;

 public:
  SimulatedExecutor executor;
  int fast, slow;
};

constexpr std::uint64_t kSeeds = 20;

}  // namespace

TEST_CASE("tasks within max_drift of the one furthest behind may read, others wait and are woken when they may") {
  AlignmentFixture f(3);
  CHECK(f.held() == "...");  // nobody knows anything
  f.set(0, 100), f.set(1, 110), f.set(2, 111);
  CHECK(f.held() == "..x");
  f.set(0, 100);
  CHECK(f.woken == std::vector<int>{0, 0, 0});
  f.set(0, 101);
  CHECK(f.woken == std::vector<int>{0, 0, 1});
  CHECK(f.held() == "...");
  f.set(0, 200);
  CHECK(f.held() == "x..");
  f.set(1, 190);
  CHECK(f.woken == std::vector<int>{0, 0, 1});
  f.set(2, 190);
  CHECK(f.woken == std::vector<int>{1, 0, 1});
}

TEST_CASE("a task that has rows and emitted none holds the others, one that does not count does not") {
  AlignmentFixture f(2);
  f.set(0, 5);
  CHECK(f.held() == "x.");
  f.set_out(1);
  CHECK(f.woken == std::vector<int>{1, 0});
  CHECK(f.held() == "..");
  f.set(1, 1'000'000);
  CHECK(f.held() == ".x");
  f.set_out(0);
  CHECK(f.woken == std::vector<int>{1, 1});
  f.set(1, Timestamp::infinity());
  CHECK(f.held() == "..");
}

TEST_CASE("sources meet in steps with several inputs, if they have event time") {
  PlayedExecution f;
  const int a = f.add_source("a"), b = f.add_source("b"), c = f.add_source("c"), plain = f.add_source("plain");
  for (const int v : {a, b, c}) f.graph.vertices[static_cast<std::size_t>(v)].event_time = EventTime{.column = 1};
  const int step = f.add_step("step", {a}, {kHash});
  f.add_step("self", {a, step}, {kForward, kForward});
  f.add_step("timeless", {a, plain}, {kForward, kForward});
  const int ab = f.add_step("ab", {step, b}, {kForward, kForward});
  f.add_step("again", {b, a}, {kForward, kForward});
  f.add_step("all", {ab, c}, {kForward, kForward});
  f.add_step("out", {b, c}, {kForward, kForward}, true);
  CHECK(sources_that_meet(f.graph) == std::vector<std::vector<int>>{{a, b}, {a, b, c}});
}

TEST_CASE("the source ahead is read up to max_drift beyond the other, to within a batch") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed);
    f.start({PlayedSource::split(0, 900)}, {PlayedSource::split(10)});
    f.allow_fast(1000);
    for (const std::int64_t n : {20, 21, 60, 400}) {
      f.allow_slow(n);
      CHECK(f.seen(10) == n);
      CHECK(f.is_held(f.seen(0), n));
    }
    f.allow_slow(900);  // now fast is the one that is behind: it ended
    CHECK(f.seen(0) == 900);
    f.allow_slow(5000);
    CHECK(f.seen(10) == 5000);
  }
}

TEST_CASE("a source that ended holds no other") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed);
    f.start({PlayedSource::split(0, 900)}, {PlayedSource::split(10, 30)});
    f.allow_fast(900);
    f.allow_slow(29);
    CHECK(f.is_held(f.seen(0), 29));
    f.allow_slow(30);
    CHECK(f.seen(0) == 900);
    CHECK(f.reports.finals.size() == static_cast<std::size_t>(f.execution->tasks()));
  }
}

TEST_CASE("a source that is idle holds no other, and is held to when it has rows again") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed);
    f.idle_after(Duration::seconds(1));
    f.start({PlayedSource::split(0)}, {PlayedSource::split(10)});
    f.allow_fast(300);
    f.allow_slow(10);  // until slow is idle
    CHECK(f.seen(0) == 300);
    f.allow_fast(600);
    f.allow_slow(10);
    CHECK(f.seen(0) == 600);
    f.allow_fast(2000);
    f.allow_slow(900);
    CHECK(f.seen(0) == 2000);
  }
}

TEST_CASE("a source in which nothing was found yet holds no other, though its splits never become idle") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed);
    f.start({PlayedSource::split(0)}, {PlayedSource::split(10)});
    f.allow_fast(500);
    f.allow_slow(0);
    CHECK(f.seen(0) == 500);
    f.allow_slow(20);
    f.allow_fast(1000);
    f.allow_slow(20);
    CHECK(f.seen(0) == 500);  // which is too far ahead now
    f.allow_slow(700);
    CHECK(f.is_held(f.seen(0), 700));
  }
}

TEST_CASE("several tasks and splits keep to the one furthest behind, also where a restore put them") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed, 1 + static_cast<int>(seed % 2));
    const auto at = [](int split, std::int64_t next) {
      SplitState s = PlayedSource::split(split);
      s.next = next;
      s.largest_time = Timestamp{next - 1};
      return s;
    };
    f.start({at(0, 400), at(1, 30)}, {at(10, 20), at(11, 25)});
    f.allow_fast(1000);
    f.allow_slow(0);
    CHECK(f.seen(0) == 0);  // it stood too far ahead already
    CHECK(f.is_held(30 + f.seen(1), 20));
    f.allow_slow(350);
    CHECK(f.is_held(400 + f.seen(0), 350));
    CHECK(f.is_held(30 + f.seen(1), 350));
    f.allow_slow(2000);
    CHECK(f.seen(0) + f.seen(1) == 600 + 970);
  }
}

TEST_CASE("of the splits of one task those ahead wait, too, also for one of which nothing has come") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed);
    SplitState ahead = PlayedSource::split(0);
    ahead.next = 400, ahead.largest_time = Timestamp{399};
    f.start({ahead, PlayedSource::split(1)}, {PlayedSource::split(10, 0)});
    f.allow_fast(200);
    f.allow_slow(0);
    CHECK(f.seen(1) == 200);
    f.allow_fast(380);
    f.allow_slow(0);
    CHECK(f.seen(0) == 0);
    CHECK(f.seen(1) == 380);
    f.allow_fast(900);
    f.allow_slow(0);
    CHECK(f.seen(0) == 500);
    CHECK(f.seen(1) == 900);
  }
}

TEST_CASE("barriers go through sources that are held, and the rows before them are those that the positions say") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TwoSources f(seed);
    f.start({PlayedSource::split(0)}, {PlayedSource::split(10)});
    f.allow_fast(1000);
    for (std::uint64_t e = 1; e <= 5; ++e) {
      f.execution->trigger({e}, e == 5);
      f.allow_slow(static_cast<std::int64_t>(50 * e));
      REQUIRE(f.reports.has({e}, f.execution->tasks()));
      f.execution->committed({e});
    }
    f.check_cuts("both", 5, 1);
  }
}

TEST_CASE("without max_drift a source is read as fast as it goes") {
  TwoSources f(1);
  f.attempt.context().max_drift.reset();
  f.start({PlayedSource::split(0)}, {PlayedSource::split(10)});
  f.allow_fast(5000);
  f.allow_slow(1);
  CHECK(f.seen(0) == 5000);
}

}  // namespace weir
