// What is written at a checkpoint, in which order, and what a failure at any step leaves behind.
#include <catch2/catch.hpp>

#include <cerrno>
#include <set>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/checkpoint/verify.h"
#include "runtime/state/file_checksum.h"
#include "runtime/state/state_table.h"
#include "tests/runtime/checkpoint/coordinator_stage.h"
#include "tests/runtime/checkpoint/faulty_disk.h"
#include "tests/runtime/state/map_store.h"
#include "tests/support/table_model.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;
using Log = std::vector<std::string>;

/// A store that writes a file, and tells what it does before it does it.
class PlayedStore final : public StateStore {
 public:
  const std::vector<std::string>& tables() const override { return rows_.tables(); }
  bool get(StateTableId table, std::string_view key, std::string& value) const override {
    return rows_.get(table, key, value);
  }
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const override {
    return rows_.scan(table, begin, end);
  }
  Size size(StateTableId table) const override {
    on_call("size");
    return {rows_.size(table).rows, 1000 + table.value};
  }
  void ingest(const EpochDelta& delta) override {
    on_call(fmt::format("ingest {}", delta.epoch.value));
    rows_.ingest(delta);
  }
  std::vector<StateFile> checkpoint(const fs::path& folder) override {
    on_call("store");
    make_folders(folder);
    write_file_durably(folder / "7.sst", "rows");
    return {{"7.sst", 4, FileChecksum::of("rows")}};
  }
  std::function<void(const std::string&)> on_call = [](const std::string&) {};
  MapStore rows_{{"other/rows", "keyed/rows"}};
};

/// One source task and one that is keyed and writes a part: checkpoint 2 lies there, 3 is collected.
struct WriteFixture {
  WriteFixture() {
    store.on_call = [this](const std::string& call) { tell(call); };
    stage.authority.on_call = [this](const std::string& call, Epoch epoch) {
      tell(fmt::format("{} {}", call, epoch.value));
    };
    checkpoint();
    stage.settle();
    stage.take_log();
  }

  /// Triggers one, and hands in what belongs to it; then it waits for the pool.
  void checkpoint() {
    ++epoch;
    ++stage.moved;
    stage.coordinator->tick();
    stage.coordinator->on_snapshot(0, epoch_now(), source_at(0, static_cast<std::int64_t>(epoch)));
    TaskSnapshot keyed;
    values.at(table.touch("w", fmt::format("key {}", epoch)).slot) = static_cast<std::int64_t>(epoch);
    keyed.frozen.push_back({{1}, table.freeze(epoch_now())});
    part = {stage.files_.write(fmt::format("{}.pending", epoch), "rows").string(),
            (stage.files_.path() / fmt::format("{}.part", epoch)).string()};
    keyed.parts.push_back(part);
    stage.coordinator->on_snapshot(1, epoch_now(), std::move(keyed));
    table.ingested(epoch_now());
    stage.log.clear();
  }

  void tell(const std::string& call) {
    stage.log.push_back(fmt::format("{} [{}]{}", call, stage.checkpoints(), fs::exists(part.final) ? " published" : ""));
    if (call == fail_at) throw Error(Blame::kEnvironment, "the test said so");
  }

  /// Lets the pool write. What it throws.
  std::optional<Error> write() {
    try {
      stage.run_pool();
    } catch (const Error& e) {
      return e;
    }
    return std::nullopt;
  }
  /// The same, and it must throw. Only a checkpoint that counts and whose parts have their names was told; nothing begins
  /// any more.
  Error failure() {
    const std::optional<Error> error = write();
    REQUIRE(error);
    check_nothing_begins();
    return *error;
  }
  void check_nothing_begins() {
    CHECK((stage.strand.empty() || fs::exists(part.final)));
    while (!stage.strand.empty()) stage.run_strand();
    const Log before = stage.log;
    ++stage.moved;
    stage.coordinator->tick(), stage.coordinator->hurry(), stage.coordinator->want({9}), stage.coordinator->finish();
    CHECK(stage.pool.empty());
    CHECK(stage.log == before);
  }

  bool told_after(std::string_view call) const {
    return std::any_of(stage.log.begin(), stage.log.end(),
                       [&](const std::string& entry) { return entry.starts_with(call); });
  }
  Epoch epoch_now() const { return {epoch}; }

  std::uint64_t epoch = 1;
  PlayedStore store;
  Numbers values;
  CoordinatorStage stage{{0, -1}, &store};
  StateTable table{{{1}, 1, {}}, store, values};
  PendingPart part;
  std::string fail_at;
};

}  // namespace

TEST_CASE("a checkpoint is written in this order: state, prepared, committed by the authority, renamed, published, told") {
  WriteFixture f;
  f.checkpoint();
  CHECK(f.stage.log == Log{});
  f.stage.settle();
  CHECK(f.stage.log == Log{"ingest 3 [2]", "store [2]", "size [2]", "size [2]", "commit 3 [2 3.prepared]",
                           "begin 5 [2 3] published", "checkpoint 3", "committed 3"});
  CHECK(f.store.rows_.size({1}).rows == 2);
  CHECK(f.store.rows_.size({0}).rows == 0);
}

TEST_CASE("a manifest holds what its epoch brought, and nothing of the one before") {
  WriteFixture f;
  f.checkpoint();
  f.stage.clock.advance(Duration::milliseconds(1500));
  f.stage.settle();
  const Manifest m = verify_checkpoint(f.stage.job_folder() / "chk-000003", VerifyLevel::kFull).manifest;
  CHECK(m == f.stage.manifests.back());
  CHECK(m.id == Epoch{3});
  CHECK(m.parts == std::vector{f.part});
  CHECK(m.sources.at(0).splits.at(0).state.next == 3);
  CHECK(m.duration_ms == 1500);
  CHECK(m.steps.at(0).tables.at(0).rows == 2);  // by name: `keyed` is the second table of the store
  CHECK(m.steps.at(0).tables.at(0).bytes == 1001);
  CHECK(m.steps.at(1).tables.at(0).rows == 0);
  CHECK(m.sinks.at(0).lane == "lane-1");
  CHECK(m.sinks.at(1).lane.empty());
  REQUIRE(m.files.size() == 1);
  CHECK(m.files[0].path == "state/7.sst");
  CHECK_FALSE(m.finished);
  CHECK_FALSE(m.claim);
}

TEST_CASE("so many checkpoints are kept as retain says, the others expire after the commit") {
  WriteFixture f;
  for (int i = 0; i < 3; ++i) f.checkpoint(), f.stage.settle();
  CHECK(f.stage.checkpoints() == "4 5");
}

TEST_CASE("state that cannot be written leaves no checkpoint, and nothing is committed") {
  for (const char* call : {"ingest 3", "store", "size"}) {
    CAPTURE(call);
    WriteFixture f;
    f.checkpoint();
    f.fail_at = call;
    CHECK(f.failure().text() == "the test said so");
    CHECK_FALSE(f.told_after("commit"));
    CHECK(f.stage.checkpoints() == "2");
    CHECK_FALSE(fs::exists(f.stage.job_folder() / "chk-000003.writing"));
    CHECK(fs::exists(f.part.pending));
  }
}

TEST_CASE("values that cannot be encoded leave no checkpoint") {
  struct Unprintable final : public Numbers {
    void encode(StateSlot, std::string&) const override { throw Error(Blame::kBug, "cannot be encoded"); }
  } values;
  WriteFixture f;
  StateTable table{{{1}, 1, {}}, f.store, values};
  table.touch("w", "key");
  ++f.stage.moved;
  f.stage.coordinator->tick();
  f.stage.coordinator->on_snapshot(0, {3}, source_at(0, 3));
  TaskSnapshot keyed;
  keyed.frozen.push_back({{1}, table.freeze({3})});
  f.stage.coordinator->on_snapshot(1, {3}, std::move(keyed));
  f.stage.take_log();
  CHECK(f.failure().text() == "cannot be encoded");
  CHECK(f.stage.log == Log{});
  CHECK(f.stage.checkpoints() == "2");
}

TEST_CASE(
    "when it is not known whether the authority committed, the checkpoint stays prepared for the next start to judge") {
  WriteFixture f;
  f.checkpoint();
  f.fail_at = "commit 3";
  CHECK(f.failure().text() == "the test said so");
  CHECK(f.stage.log.back() == "commit 3 [2 3.prepared]");
  CHECK(fs::exists(f.part.pending));
  CHECK_FALSE(fs::exists(f.part.final));
  f.stage.start_again();
  CHECK(f.stage.checkpoints() == "2 3.prepared");
  CHECK(verify_checkpoint(f.stage.job_folder() / "chk-000003.prepared", VerifyLevel::kFull).manifest.parts ==
        std::vector{f.part});
}

TEST_CASE("what is committed stays so when the next transaction cannot begin") {
  WriteFixture f;
  f.checkpoint();
  f.fail_at = "begin 5";
  CHECK(f.failure().text() == "the test said so");
  CHECK(f.stage.checkpoints() == "2 3");
  CHECK(fs::exists(f.part.final));
}

TEST_CASE("a part that is gone under both names is named; the checkpoint counts") {
  WriteFixture f;
  f.checkpoint();
  fs::remove(f.part.pending);
  const Error error = f.failure();
  CHECK(error.blame() == Blame::kEnvironment);
  CHECK_THAT(error.text(), Contains(f.part.pending) && Contains(f.part.final));
  CHECK(f.stage.checkpoints() == "2 3");
}

TEST_CASE("a number that is in use is never written again") {
  for (const char* name : {"chk-000003", "chk-000003.prepared"}) {
    WriteFixture f;
    f.checkpoint();
    fs::create_directory(f.stage.job_folder() / name);
    CHECK(f.failure().blame() == Blame::kBug);
    CHECK_FALSE(f.told_after("commit"));
  }
}

TEST_CASE("whichever call of the file system fails, it is named, and no checkpoint is torn, lost or counts too early") {
  const auto [error, blame] =
      GENERATE(table<int, Blame>({{ENOSPC, Blame::kEnvironment}, {EIO, Blame::kEnvironment}, {EROFS, Blame::kUser}}));
  std::size_t failures = 0, commits = 0, after = 0;
  for (std::size_t n = 1;; ++n) {
    WriteFixture f;
    f.checkpoint();
    f.stage.settle();  // two are kept: the next one lets the first expire
    f.checkpoint();
    FaultyDisk disk(f.stage.files_.path(), n, error);
    const std::optional<Error> thrown = f.write();
    const std::string call = disk.failed();
    CAPTURE(n, call);
    if (call.empty()) break;                                    // each has had its turn
    if (error == EROFS && call.starts_with("fsync")) continue;  // of what cannot be written to, nothing can be lost
    REQUIRE(thrown);
    f.check_nothing_begins();
    ++failures;
    CHECK(thrown->blame() == blame);
    CHECK_THAT(thrown->text(), Contains(f.stage.files_.path().string()) && Contains(std::generic_category().message(error)));
    const bool asked = f.told_after("commit 4"), published = fs::exists(f.part.final);
    commits += asked;
    after += published;
    CHECK(fs::exists(f.part.pending) != published);
    f.stage.start_again();
    bool found = false;
    for (const CheckpointEntry& entry : list_checkpoints(f.stage.job_folder())) {
      CAPTURE(entry.path);
      CHECK(verify_checkpoint(entry.path, VerifyLevel::kFull).manifest.id == entry.epoch);
      if (entry.epoch != Epoch{4}) continue;
      found = true;
      if (entry.state == CheckpointState::kCommitted) CHECK(asked);
      if (published) CHECK(entry.state == CheckpointState::kCommitted);
    }
    if (asked) CHECK(found);
    CHECK(f.stage.checkpoints().find("3") != std::string::npos);
  }
  CHECK(failures > 10);
  CHECK(commits > 5);
  CHECK(after > 3);
}

TEST_CASE(
    "what counts outlasts a loss of power: all is on the disk before the authority commits, and the names before the next "
    "step") {
  WriteFixture f;
  f.checkpoint();
  FaultyDisk disk(f.stage.files_.path());
  std::set<std::string> at_commit{"not called"}, at_begin = at_commit;
  f.stage.authority.on_call = [&](const std::string& call, Epoch) {
    (call == "commit" ? at_commit : at_begin) = disk.unsynced();
  };
  f.stage.settle();
  CHECK(at_commit == std::set<std::string>{});
  CHECK(at_begin == std::set<std::string>{});
  CHECK(disk.calls() > 10);
}

TEST_CASE("tasks hear of a checkpoint before those that it pushes out are deleted") {
  for (std::size_t n = 1;; ++n) {
    WriteFixture f;
    for (int i = 0; i < 2; ++i) f.checkpoint(), f.stage.settle();
    f.checkpoint();
    const FaultyDisk disk(f.stage.job_folder(), n, EIO);
    REQUIRE(f.write());
    if (disk.failed().find(".deleting") == std::string::npos) continue;
    f.stage.run_strand();
    CHECK(f.stage.log.back() == "committed 5");
    return;
  }
}

TEST_CASE("a tick that comes while a checkpoint is under way is made up for behind it") {
  WriteFixture f;
  f.checkpoint();
  f.stage.coordinator->tick();
  CHECK(f.stage.take_log().empty());
  SECTION("when something moved meanwhile") {
    ++f.stage.moved;
    f.stage.settle();
    CHECK(f.stage.log.back() == "trigger 4");
  }
  SECTION("and forgotten when nothing did") {
    f.stage.settle();
    CHECK(f.stage.log.back() == "committed 3");
    ++f.stage.moved;
    f.checkpoint();  // by the next tick
    CHECK(f.stage.coordinator->under_way()->epoch == Epoch{4});
  }
}

TEST_CASE(
    "a stop before the pool has begun to write leaves nothing; one before the tasks are told leaves a checkpoint that "
    "counts") {
  WriteFixture f;
  f.checkpoint();
  SECTION("not begun") {
    f.stage.pool.clear();
    f.stage.start_again();
    CHECK(f.stage.checkpoints() == "2");
    CHECK_FALSE(fs::exists(f.part.final));
  }
  SECTION("not told") {
    f.stage.run_pool();
    f.stage.strand.clear();
    f.stage.take_log();
    f.stage.start_again();
    CHECK(f.stage.checkpoints() == "2 3");
    CHECK(fs::exists(f.part.final));
    CHECK(f.stage.log == Log{});
  }
}

TEST_CASE(
    "nothing moved: a checkpoint comes only for rows that were written, at the heartbeat, or when the authority says that "
    "it is due") {
  WriteFixture f;
  const auto triggers = [&] { return !f.stage.take_log().empty(); };
  f.stage.coordinator->tick(), f.stage.coordinator->hurry();
  CHECK_FALSE(triggers());
  SECTION("the heartbeat") {
    f.stage.clock.advance(f.stage.authority.heartbeat() - Duration{1});
    f.stage.coordinator->tick();
    CHECK_FALSE(triggers());
    f.stage.clock.advance(Duration{1});
    f.stage.coordinator->tick();
    CHECK(triggers());
  }
  SECTION("rows of the open epoch") {
    f.stage.authority.has_output = true;
    f.stage.coordinator->tick();
    CHECK(triggers());
  }
  SECTION("due") {
    f.stage.authority.is_due = true;
    f.stage.coordinator->tick();
    CHECK_FALSE(triggers());
    f.stage.coordinator->hurry();
    CHECK(triggers());
    f.stage.coordinator->hurry();  // one is under way
    CHECK_FALSE(triggers());
  }
}

TEST_CASE("a snapshot of an epoch that is not being collected is a broken promise") {
  WriteFixture f;
  const auto blame = [&](Epoch epoch) {
    try {
      f.stage.coordinator->on_snapshot(0, epoch, {});
      return std::string("taken");
    } catch (const Error& e) {
      return e.text();
    }
  };
  CHECK_THAT(blame({3}), Contains("task 0 handed in epoch 3"));  // none is in progress
  ++f.stage.moved;
  f.stage.coordinator->tick();
  CHECK_THAT(blame({2}), Contains("in progress: 3"));
  CHECK_THAT(blame({4}), Contains("in progress: 3"));
  CHECK(blame({3}) == "taken");
}

}  // namespace weir
