#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/coordinator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_task.h"

namespace weir {

/// An authority that answers as the test says. Calls are told to `on_call` with their epoch: begin, commit.
class PlayedAuthority final : public CommitAuthority {
 public:
  std::string name() override { return "played"; }
  AuthorityAnswer inspect() override { return {}; }
  AuthorityAnswer open() override { return {}; }
  void take_over(const std::string&, const Marker&) override {}
  void begin(Epoch epoch) override { tell("begin", epoch); }
  void commit(Epoch epoch, const RunId&) override { tell("commit", epoch); }
  void close() override {}
  bool epoch_has_output(Epoch) const override { return has_output; }
  bool commit_is_due() const override { return is_due; }
  Duration heartbeat() const override { return Duration::seconds(3600); }
  std::string lane(Epoch epoch) const override { return fmt::format("lane-{}", epoch.value % 2); }

  std::function<void(const std::string& call, Epoch epoch)> on_call;
  bool has_output = false, is_due = false;

 private:
  void tell(const std::string& call, Epoch epoch) {
    if (on_call) on_call(call, epoch);
  }
};

/// A coordinator with all that is around it played by hand. What it gives to the pool and to its strand waits until the test
/// lets it run; what it asks and reports is in `log`: `trigger 2`, `trigger 3 last`, `checkpoint 2`, `committed 2`, `done`,
/// `done finished`.
class CoordinatorStage : public CheckpointParticipants, public CheckpointObserver, public BlockingPool {
 public:
  static constexpr Epoch kFirst{2};

  /// `source_of_task` as in CoordinatorOptions; sources s0, s1, …; keyed steps `keyed` and `other`, each with a table
  /// `rows`; an exactly-once sink of the authority, and one of files.
  explicit CoordinatorStage(std::vector<int> source_of_task, StateStore* store = nullptr)
      : folder_(std::make_unique<CheckpointFolder>(files_.path(), "job")) {
    CoordinatorOptions options;
    options.retain = 2;
    for (const int s : source_of_task)
      while (s >= static_cast<int>(options.sources.size()))
        options.sources.push_back(fmt::format("s{}", options.sources.size()));
    options.source_of_task = std::move(source_of_task);
    Manifest base;
    base.run = {"run"};
    base.job = "job";
    base.authority = authority.name();
    for (const std::string& s : options.sources) base.sources.push_back({s, "file", {}});
    base.steps = {{.name = "keyed", .tables = {{"rows", "k, v"}}}, {.name = "other", .tables = {{"rows", "k, v"}}}};
    base.sinks = {{"topic", "kafka", "exactly_once", ""}, {"parts", "file", "exactly_once", ""}};
    coordinator.emplace(
        std::move(options), base, kFirst, *folder_, authority, *this, *this, *this,
        [this](std::function<void()> work) { strand.push_back(std::move(work)); }, clock, store);
  }

  std::filesystem::path job_folder() const { return files_.path() / "job"; }
  /// `2 3.prepared`
  std::string checkpoints() const {
    std::string text;
    for (const CheckpointEntry& e : list_checkpoints(job_folder()))
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", e.epoch.value,
                          e.state == CheckpointState::kPrepared ? ".prepared" : "");
    return text;
  }
  /// The folder as the next process finds it.
  void start_again() {
    coordinator.reset();
    folder_.reset();
    folder_ = std::make_unique<CheckpointFolder>(files_.path(), "job");
  }

  /// Does what waits: one piece of the pool's, of the strand's.
  void run_pool() { run_one(pool); }
  void run_strand() { run_one(strand); }
  /// All of it.
  void settle() {
    while (!pool.empty() || !strand.empty()) run_one(pool.empty() ? strand : pool);
  }
  /// Forgets and returns the log.
  std::vector<std::string> take_log() { return std::exchange(log, {}); }

  void trigger(Epoch epoch, bool last) override {
    log.push_back(fmt::format("trigger {}{}", epoch.value, last ? " last" : ""));
  }
  void committed(Epoch epoch) override { log.push_back(fmt::format("committed {}", epoch.value)); }
  std::uint64_t moves() const override { return moved; }
  void on_checkpoint(const Manifest& manifest) override {
    log.push_back(fmt::format("checkpoint {}", manifest.id.value)), manifests.push_back(manifest);
  }
  void on_done(bool finished) override { log.push_back(finished ? "done finished" : "done"); }
  void run(std::function<void()> work) override { pool.push_back(std::move(work)); }

  TemporaryFolder files_{TemporaryFolder::Medium::kMemory};
  ManualClock clock;
  PlayedAuthority authority;
  std::deque<std::function<void()>> pool, strand;
  std::vector<std::string> log;
  std::vector<Manifest> manifests;
  std::uint64_t moved = 0;

 private:
  void run_one(std::deque<std::function<void()>>& queue) {
    const std::function<void()> work = std::move(queue.front());
    queue.pop_front();
    work();
  }
  std::unique_ptr<CheckpointFolder> folder_;

 public:
  std::optional<Coordinator> coordinator;  ///< goes first
};

/// What a source task hands in whose only split stands at `next` of `end`.
inline TaskSnapshot source_at(int task, std::int64_t next, std::int64_t end = 100) {
  TaskSnapshot s;
  s.splits.push_back({.topic = "split", .partition = task, .next = next, .end = end, .ended = next == end});
  s.statuses.push_back({end, false});
  return s;
}

}  // namespace weir
