// What a job does when attempts fail: with played components, an authority that is a few variables, and a clock that moves
// on whenever somebody looks at it.
#include <catch2/catch.hpp>
#include <set>

#include "runtime/base/error.h"
#include "runtime/job/job.h"
#include "tests/runtime/graph/played_components.h"
#include "tests/support/captured_log.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Words = std::vector<std::string>;

/// Each look moves it on, and lets a job that waits look again; one that runs for much too long is stopped.
class JumpingClock final : public Clock {
 public:
  explicit JumpingClock(StopRequest& s) : stop(s) {}
  Timestamp now() const override { return {1'704'067'200'000'000 + steady_}; }
  Duration steady() const override {
    if (job) job->wake();
    if (std::chrono::steady_clock::now() > too_long_) stop.signal = 15;
    const Duration looked{steady_ += stands ? 0 : 50'000};
    if (looked >= stop_at) stop.signal = 15;
    return looked;
  }
  std::atomic<bool> stands{false};                  ///< while an attempt runs, however long its threads take
  Duration stop_at = Duration::seconds(1'000'000);  ///< a signal comes then
  Job* job = nullptr;
  StopRequest& stop;

 private:
  const std::chrono::steady_clock::time_point too_long_ = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  mutable std::atomic<std::int64_t> steady_{0};
};

/// What the authorities of all attempts share: the marker, and what the test lets happen.
struct Cluster {
  std::mutex mutex;
  std::optional<Marker> marker;
  std::string moved_to;
  std::function<void(const std::string& call, Epoch epoch)> on_call = [](const std::string&, Epoch) {};
  std::atomic<bool> due{true};  ///< checkpoints follow each other without a pause
  std::vector<int> timeout_factors;
  JumpingClock* clock = nullptr;
};

class ClusterAuthority final : public CommitAuthority {
 public:
  ClusterAuthority(Cluster& cluster, const AttemptContext& attempt) : cluster_(cluster) {
    cluster_.timeout_factors.push_back(attempt.timeout_factor);
  }
  std::string name() override { return "cluster"; }
  AuthorityAnswer inspect() override { return answer("inspect"); }
  ~ClusterAuthority() override { cluster_.clock->stands = false; }
  AuthorityAnswer open() override {
    cluster_.clock->stands = true;
    return answer("open");
  }
  void take_over(const std::string&, const Marker&) override {}
  void begin(Epoch) override {}
  void commit(Epoch epoch, const RunId& run) override {
    cluster_.on_call("commit", epoch);
    std::lock_guard lock(cluster_.mutex);
    cluster_.marker = Marker{epoch, run};
  }
  void close() override { cluster_.on_call("close", {}); }
  bool epoch_has_output(Epoch) const override { return false; }
  bool commit_is_due() const override { return cluster_.due; }
  Duration heartbeat() const override { return Duration::seconds(1'000'000); }
  std::string lane(Epoch) const override { return "lane"; }

 private:
  AuthorityAnswer answer(const std::string& call) {
    cluster_.on_call(call, {});
    std::lock_guard lock(cluster_.mutex);
    return {cluster_.marker, cluster_.moved_to};
  }
  Cluster& cluster_;
};

class NoStores final : public StateStores {
 public:
  std::unique_ptr<StateStore> create(const std::filesystem::path&, const StateStoreOptions&) override {
    throw std::runtime_error("no state here");
  }
  std::unique_ptr<StateStore> restore(const std::filesystem::path&, const std::filesystem::path&,
                                      const StateStoreOptions&) override {
    throw std::runtime_error("no state here");
  }
  std::unique_ptr<StateReader> read(const std::filesystem::path&) override { throw std::runtime_error("no state here"); }
};

/// A job of a source with one split and a sink.
struct JobFixture {
  explicit JobFixture(const std::string& restart = "{ attempts: 3, backoff: 1s, max_backoff: 3s }", std::int64_t rows = 10)
      : graph(fmt::format("name: p\nrestart: {}\ncheckpoint: {{ dir: {}, interval: 0s }}\nsources: {{ in: {{ type: numbers, "
                          "bounded: true }} }}\n"
                          "sinks: {{ out: {{ from: in, type: out }} }}\n",
                          restart, (files / "checkpoints").string())) {
    if (!graph.graph) throw std::runtime_error(graph.problems());
    cluster.clock = &clock;
    graph.sources.at("in")->splits = {PlayedSource::split(0, rows)};
    graph.sources.at("in")->allow(rows);
    sink().make_authority = [this](AttemptContext& attempt) { return std::make_unique<ClusterAuthority>(cluster, attempt); };
  }
  PlayedStep& sink() { return *graph.steps.at("out"); }

  /// How it ended: `finished`, `stopped`, `stopped after`, or the text of the error.
  std::string run() {
    Job job(*graph.file, *graph.graph, options, stores, clock, stop);
    clock.job = &job;
    try {
      const JobEnd end = job.run();
      clock.job = nullptr;
      blame.reset();
      return end == JobEnd::kFinished ? "finished" : end == JobEnd::kStopped ? "stopped" : "stopped after";
    } catch (const Error& e) {
      clock.job = nullptr;
      blame = e.blame();
      return e.text();
    }
  }
  /// `1s (restart 1 of 3)` of each restart.
  Words restarts() const {
    Words all;
    for (const std::string& line : log.with("(restart ")) all.push_back(line.substr(line.rfind(" in ") + 4));
    return all;
  }
  /// The checkpoints that lie there: `1c 2`, with a c for claims.
  std::string checkpoints() const {
    std::string text;
    for (const CheckpointEntry& e : list_checkpoints(files / "checkpoints" / "p"))
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", e.epoch.value, read_checkpoint(e.path).claim ? "c" : "");
    return text;
  }

  TemporaryFolder files{TemporaryFolder::Medium::kMemory};
  CapturedLog log;
  PlayedGraph graph;
  Cluster cluster;
  JobOptions options{.stop_limit = Duration::seconds(1'000'000), .quiet = true};  // the clock runs ahead of the tasks
  NoStores stores;
  StopRequest stop;
  JumpingClock clock{stop};
  std::optional<Blame> blame;
};

const auto kGone = [] { return Error(Blame::kEnvironment, "the broker is gone"); };

}  // namespace

TEST_CASE("the pause doubles up to the longest, and the job is given up after so many restarts without progress") {
  JobFixture f;
  f.sink().answer = [](const PlayedStep::Call& call) -> Progress {
    if (call.what == "row") throw kGone();
    return Progress::kDone;
  };
  f.cluster.due = false;
  const Duration begun = f.clock.steady();
  CHECK(f.run() == "the broker is gone (given up after 3 restarts without progress; restart.attempts)");
  CHECK(f.blame == Blame::kEnvironment);
  CHECK(f.restarts() == Words{"1s (restart 1 of 3)", "2s (restart 2 of 3)", "3s (restart 3 of 3)"});
  CHECK(f.clock.steady() - begun >= Duration::seconds(6));
  CHECK_THAT(f.log.with("(restart ").at(0),
             StartsWith("error: the broker is gone; restarting from the last committed checkpoint"));
}

TEST_CASE("with no restarts the first failure is the end") {
  JobFixture f("{ attempts: 0 }");
  f.cluster.due = false;
  f.sink().answer = [](const PlayedStep::Call&) -> Progress { throw kGone(); };
  CHECK(f.run() == "the broker is gone (given up after 0 restarts without progress; restart.attempts)");
  CHECK(f.restarts() == Words{});
}

TEST_CASE("claims are no progress, a checkpoint is: with it the count and the pause begin anew") {
  JobFixture f("{ attempts: 2, backoff: 1s, max_backoff: 10s }", 1000);
  f.graph.sources.at("in")->allow(5);
  std::atomic<int> failures{0}, committed{0};
  f.sink().answer = [&](const PlayedStep::Call& call) -> Progress {
    // Attempts 1 and 2 fail at once, 3 and 5 after a checkpoint; 4 at once; 6 ends.
    if (call.what == "committed") ++committed;
    const int n = failures;
    const bool at_once = (n == 0 || n == 1 || n == 3) && call.what == "barrier",
               later = (n == 2 || n == 4) && call.what == "committed";
    if (at_once || later) {
      ++failures;
      if (failures == 5) f.graph.sources.at("in")->allow(1000);
      throw kGone();
    }
    return Progress::kDone;
  };
  CHECK(f.run() == "finished");
  CHECK(f.restarts() == Words{"1s (restart 1 of 2)", "2s (restart 2 of 2)", "1s (restart 1 of 2)", "2s (restart 2 of 2)",
                              "1s (restart 1 of 2)"});
  CHECK(committed >= 2);
}

TEST_CASE("a job that makes progress each time is never given up") {
  JobFixture f("{ attempts: 1, backoff: 1s }", 1000);
  f.graph.sources.at("in")->allow(5);
  std::atomic<int> failures{0};
  f.sink().answer = [&](const PlayedStep::Call& call) -> Progress {
    if (call.what != "committed" || failures == 6) return Progress::kDone;
    if (++failures == 6) f.graph.sources.at("in")->allow(1000);
    throw kGone();
  };
  CHECK(f.run() == "finished");
  CHECK(f.restarts() == Words(6, "1s (restart 1 of 1)"));
}

TEST_CASE("only what may pass by itself lets a job restart") {
  JobFixture f;
  f.cluster.due = false;
  const auto blame = GENERATE(Blame::kUser, Blame::kData, Blame::kRefused, Blame::kBug);
  f.sink().answer = [&](const PlayedStep::Call&) -> Progress { throw Error(blame, "no use"); };
  CHECK(f.run() == "no use");
  CHECK(f.blame == blame);
  CHECK(f.restarts() == Words{});
}

TEST_CASE("what is no error of weir's goes through as it is") {
  JobFixture f;
  f.cluster.due = false;
  f.sink().answer = [&](const PlayedStep::Call&) -> Progress { throw std::logic_error("a mistake"); };
  CHECK_THROWS_WITH(f.run(), "a mistake");
  f.clock.job = nullptr;
}

TEST_CASE("failures of a start count like others, and say that there is nothing to go back to") {
  JobFixture f;
  const std::string where = GENERATE("inspect", "open", "commit");
  f.cluster.due = false;
  int times = 0;
  f.cluster.on_call = [&](const std::string& call, Epoch) {
    if (call == where && ++times <= 2) throw kGone();
  };
  CHECK(f.run() == "finished");
  CHECK(f.restarts() == Words{"1s (restart 1 of 3)", "2s (restart 2 of 3)"});
  CHECK_THAT(f.log.with("(restart ").at(0), Contains("starting again"));
}

TEST_CASE("a restart goes on from the last checkpoint: nothing is lost, what was read behind it comes again") {
  JobFixture f("{ attempts: 3, backoff: 1s }", 20);
  f.graph.sources.at("in")->allow(8);
  std::atomic<bool> failed{false};
  std::atomic<std::int64_t> last{-1}, epoch_of_8{-1};
  f.sink().answer = [&](const PlayedStep::Call& call) -> Progress {
    if (call.what == "row") last = call.number;  // the first of two
    if (call.what == "barrier" && last == 6 && epoch_of_8 < 0) epoch_of_8 = call.number;
    if (call.what == "committed" && call.number == epoch_of_8) f.graph.sources.at("in")->allow(20);
    if (call.what == "row" && call.number >= 12 && !failed.exchange(true)) throw kGone();
    return Progress::kDone;
  };
  CHECK(f.run() == "finished");
  std::vector<std::int64_t> rows;
  for (const Journal::Entry& e : f.graph.journal.entries())
    if (e.what == "row") rows.push_back(e.number);
  // All of it, in order, with one step back at the most, to 8 or behind it.
  std::set<std::int64_t> all(rows.begin(), rows.end());
  CHECK(all.size() == 20);
  int back = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] == rows[i - 1] + 1) continue;
    ++back;
    CHECK(rows[i] >= 8);
    CHECK(rows[i] <= rows[i - 1] + 1);
  }
  CHECK(back <= 1);
  CHECK(f.restarts().size() == 1);
}

TEST_CASE("starts that fail again and again keep the last checkpoint with rows and their newest claim") {
  JobFixture f("{ attempts: 4, backoff: 1s }");
  std::atomic<int> failures{0};
  f.sink().answer = [&](const PlayedStep::Call& call) -> Progress {
    if (call.what != (failures == 0 ? "committed" : "barrier")) return Progress::kDone;
    ++failures;
    throw kGone();
  };
  f.graph.sources.at("in")->allow(5);  // it never ends
  CHECK_THAT(f.run(), Contains("given up after 4 restarts"));
  CHECK(f.checkpoints() == "1c 2 6c");  // 3, 4 and 5 were claims of 2, like 6
}

TEST_CASE("a stop that is asked for in the pause ends the job there") {
  JobFixture f;
  f.cluster.due = false;
  f.sink().answer = [&](const PlayedStep::Call&) -> Progress { throw kGone(); };
  SECTION("by a signal") {
    f.sink().answer = [&](const PlayedStep::Call& call) -> Progress {
      if (call.what == "row") f.stop.signal = 15;
      throw kGone();
    };
    CHECK(f.run() == "stopped");
    CHECK(f.restarts() == Words{});
    CHECK(f.log.with("stopped before it could restart: the broker is gone").size() == 1);
  }
  SECTION("by --stop-after") {
    f.options.stop_after = Duration::seconds(2);  // in the second pause at the latest
    CHECK_THAT(f.run(), Contains("the broker is gone (--stop-after is over, before it could restart)"));
    CHECK(f.restarts().size() <= 2);
  }
}

TEST_CASE("a pause is not waited for to its end when the job is to stop") {
  JobFixture f("{ attempts: 3, backoff: 100s, max_backoff: 100s }");
  f.cluster.due = false;
  f.sink().answer = [](const PlayedStep::Call&) -> Progress { throw kGone(); };
  const Duration begun = f.clock.steady();
  SECTION("by a signal") {
    f.clock.stop_at = begun + Duration::seconds(20);
    CHECK(f.run() == "stopped");
  }
  SECTION("by --stop-after") {
    f.options.stop_after = Duration::seconds(20);
    CHECK_THAT(f.run(), Contains("--stop-after is over"));
  }
  CHECK(f.restarts() == Words{"100s (restart 1 of 3)"});
  CHECK(f.clock.steady() - begun < Duration::seconds(30));
}

TEST_CASE("a transaction that timed out gets twice the time, until there is progress") {
  JobFixture f("{ attempts: 5, backoff: 1s }", 1000);
  f.graph.sources.at("in")->allow(5);
  std::atomic<int> commits{0};
  f.cluster.on_call = [&](const std::string& call, Epoch) {
    if (call != "commit") return;
    const int n = ++commits;  // 1, 3, 5 and 8 are claims
    if (n == 2 || n == 4) throw Error(Blame::kEnvironment, "it took too long", ErrorCode::kTransactionTimeout);
    if (n == 7) throw kGone();
    if (n == 8) f.graph.sources.at("in")->allow(1000);
  };
  CHECK(f.run() == "finished");
  // The second and the fourth authority only look who took over.
  Words factors;
  for (const int n : f.cluster.timeout_factors) factors.push_back(std::to_string(n));
  CHECK(factors == Words{"1", "1", "2", "1", "4", "1"});
}

TEST_CASE("one that is fenced restarts if nobody else committed, and gives way if somebody did") {
  JobFixture f("{ attempts: 3, backoff: 1s }", 1000);
  f.graph.sources.at("in")->allow(5);
  std::atomic<int> times{0};
  const auto fence = [&](int most) {
    f.cluster.on_call = [&, most](const std::string& call, Epoch epoch) {
      if (call == "commit" && epoch > Epoch{1} && times < most) {
        ++times;
        throw Error(Blame::kFenced, "fenced");
      }
      if (call == "commit" && times == most && epoch > Epoch{3}) f.graph.sources.at("in")->allow(1000);
    };
  };
  SECTION("once: another look after 10 s, then at once") {
    fence(1);
    const Duration begun = f.clock.steady();
    CHECK(f.run() == "finished");
    CHECK(f.log.with("fenced, but no other run has committed (fenced); looking again in 10 s").size() == 1);
    CHECK(f.restarts() == Words{"0s (restart 1 of 3)"});
    CHECK(f.clock.steady() - begun >= Duration::seconds(10));
  }
  SECTION("twice within a minute") {
    fence(2);
    CHECK_THAT(f.run(), Contains("two instances of this name: the job p was fenced twice within a minute"));
    CHECK(f.blame == Blame::kFenced);
  }
  SECTION("by a run that committed") {
    f.cluster.on_call = [&](const std::string& call, Epoch epoch) {
      if (call != "commit" || epoch == Epoch{1}) return;
      std::lock_guard lock(f.cluster.mutex);
      f.cluster.marker = Marker{{7}, {"other"}};
      throw Error(Blame::kFenced, "fenced");
    };
    CHECK_THAT(f.run(), Contains("another instance of the job p took over: its run other committed checkpoint 7"));
    CHECK(f.blame == Blame::kFenced);
    CHECK(f.restarts() == Words{});
    CHECK(f.log.with("looking again").empty());  // it is known at once
  }
  SECTION("by one that moved the job to another name") {
    f.cluster.on_call = [&](const std::string& call, Epoch epoch) {
      if (call != "commit" || epoch == Epoch{1}) return;
      std::lock_guard lock(f.cluster.mutex);
      f.cluster.moved_to = "q";
      throw Error(Blame::kFenced, "fenced");
    };
    CHECK(f.run() == "the job p was taken over: it moved to q");
  }
}

TEST_CASE("a job tells how it gets on: claim, tasks, checkpoints, end; and that there is nothing to do") {
  JobFixture f;
  f.cluster.due = false;
  CHECK(f.run() == "finished");
  const Words lines = f.log.lines();
  CAPTURE(lines);
  const auto has = [&](const std::string& start) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); });
  };
  CHECK(has("info: new job p: claimed checkpoint 1 as run "));
  CHECK(has("info: running: 1 task, checkpoint every 0"));
  CHECK(has("info: checkpoint 2 committed ("));
  CHECK(has("info: 10 rows in, 10 rows out, 0 errors, 5 batches in "));
  CHECK(lines.back() == "info: finished: everything up to the end of the input is done");
  CHECK(f.checkpoints() == "1c 2");
  CHECK(f.run() == "finished");
  CHECK_THAT(f.log.lines().back(), StartsWith("info: nothing to do: finished at 2024-01-01T") &&
                                       Contains("with checkpoint 2 (--continue reads on)"));
  CHECK(f.checkpoints() == "1c 2");
}

TEST_CASE("a stop takes a last checkpoint of what was read, and the next start goes on from it") {
  JobFixture f("{ attempts: 0 }", 30);
  f.cluster.due = false;
  f.options.stop_after_rows = 12;
  CHECK(f.run() == "stopped after");
  CHECK(f.log.with("stopping: enough rows were read; taking a last checkpoint").size() == 1);
  CHECK(f.log.lines().back() == "info: stopped");
  CHECK(f.checkpoints() == "1c 2");
  f.options.stop_after_rows.reset();
  CHECK(f.run() == "finished");
  CHECK(f.log.with("restored checkpoint 2").size() == 1);
  Words rows = f.graph.journal.of("out");
  std::erase_if(rows, [](const std::string& entry) { return !entry.starts_with("row"); });
  Words wanted;
  for (int n = 0; n < 30; ++n) wanted.push_back(fmt::format("row 0:{}", n));
  CHECK(rows == wanted);
}

}  // namespace weir
