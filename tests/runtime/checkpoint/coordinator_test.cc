#include "runtime/checkpoint/coordinator.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

/// A coordinator of tasks that the test plays; what blocks is done at once.
class PlayedTasks final : public CheckpointParticipants, public CheckpointObserver, public BlockingPool {
 public:
  /// Tasks of one source `in` and one keyed step `hours`, as often as wanted: `source_of_task` as in CoordinatorOptions.
  explicit PlayedTasks(std::vector<int> source_of_task) : folder_(files_.path(), "job") {
    Manifest base;
    base.run = {"r"};
    base.job = "job";
    base.sources = {{"in", "file", {}}};
    base.steps = {{.name = "hours"}, {.name = "days"}};
    CoordinatorOptions options;
    options.sources = {"in"};
    options.source_of_task = std::move(source_of_task);
    coordinator.emplace(
        std::move(options), base, Epoch{2}, folder_, authority_, *this, *this, *this,
        [](std::function<void()> work) { work(); }, system_clock(), nullptr);
  }

  void trigger(Epoch epoch, bool) override { triggered.push_back(epoch.value); }
  void committed(Epoch) override {}
  std::uint64_t moves() const override { return moved; }
  void on_checkpoint(const Manifest& m) override { manifests.push_back(m); }
  void on_done(bool) override { done = true; }
  void run(std::function<void()> work) override { work(); }
  using CheckpointParticipants::committed;

  /// A barrier of all source tasks, which the tasks in `passed` answer with these snapshots.
  const Manifest& checkpoint(std::map<int, TaskSnapshot> passed) {
    ++moved;
    coordinator->tick();
    for (auto& [task, snapshot] : passed) coordinator->on_snapshot(task, Epoch{triggered.back()}, std::move(snapshot));
    return manifests.back();
  }

  std::optional<Coordinator> coordinator;
  std::vector<std::uint64_t> triggered;
  std::vector<Manifest> manifests;
  std::uint64_t moved = 0;
  bool done = false;

 private:
  TemporaryFolder files_;
  CheckpointFolder folder_;
  LocalAuthority authority_;
};

constexpr Timestamp kNoon{43'200'000'000};

TaskSnapshot keyed(const char* step, Timestamp w) {
  TaskSnapshot s;
  s.watermarks.push_back({step, w});
  return s;
}

TaskSnapshot source(std::int64_t next, bool ended = false) {
  TaskSnapshot s;
  s.splits.push_back({.topic = "a", .next = next, .end = 9, .ended = ended, .largest_time = kNoon});
  s.statuses.push_back({12, false});
  s.watermark = ended ? Timestamp::infinity() : kNoon;
  return s;
}

Timestamp watermark(const Manifest& m, std::string_view step) {
  for (const ManifestStep& s : m.steps)
    if (s.name == step) return s.watermark;
  return Timestamp::none();
}

}  // namespace

TEST_CASE("what a task that ended knew is in every later manifest: watermarks of its steps, its splits and where they end") {
  const bool in_a_checkpoint = GENERATE(false, true);  // it ends between two checkpoints, or instead of passing a barrier
  PlayedTasks job({0, -1, 0});
  TaskSnapshot both = keyed("hours", kNoon);
  both.watermarks.push_back({"days", Timestamp{1}});
  if (in_a_checkpoint) {
    ++job.moved;
    job.coordinator->tick();
    job.coordinator->on_snapshot(2, Epoch{2}, source(3));
  }
  job.coordinator->on_finished(0, source(9, true));
  job.coordinator->on_finished(1, both);
  for (int i = 0; i < 3; ++i) {
    const Manifest& m = in_a_checkpoint && i == 0 ? job.manifests.at(0) : job.checkpoint({{2, source(4 + i)}});
    CAPTURE(i, m.id.value);
    CHECK(watermark(m, "hours") == kNoon);
    CHECK(watermark(m, "days") == Timestamp{1});
    REQUIRE(m.sources.at(0).splits.size() == 2);
    CHECK(m.sources[0].splits[0].state == source(9, true).splits[0]);
    CHECK(m.sources[0].splits[0].end_offset == 12);
    CHECK(m.sources[0].watermark == kNoon);
  }
  job.coordinator->on_finished(2, source(9, true));
  REQUIRE(job.done);
  CHECK(job.manifests.back().finished);
  CHECK(watermark(job.manifests.back(), "hours") == kNoon);
}

TEST_CASE("parts of a task that ended are in one manifest only") {
  const TemporaryFolder files;
  const PendingPart part{(files / "pending").string(), files.write("final", "").string()};
  PlayedTasks job({0, -1});
  TaskSnapshot last;
  last.parts.push_back(part);
  job.coordinator->on_finished(1, last);
  CHECK(job.checkpoint({{0, source(1)}}).parts == std::vector{part});
  CHECK(job.checkpoint({{0, source(2)}}).parts.empty());
}

TEST_CASE("a task that ended is reason enough for a checkpoint, though nothing moves") {
  PlayedTasks job({0, -1});
  job.checkpoint({{0, source(1)}, {1, {}}});
  const std::size_t before = job.triggered.size();
  job.coordinator->tick();
  CHECK(job.triggered.size() == before);
  job.coordinator->on_finished(1, {});
  job.coordinator->tick();
  CHECK(job.triggered.size() == before + 1);
  job.coordinator->on_snapshot(0, Epoch{job.triggered.back()}, source(1));
  job.coordinator->tick();
  CHECK(job.triggered.size() == before + 1);
}

}  // namespace weir
