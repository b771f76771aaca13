// The recovery table against histories: whatever a crash interrupted, the next start goes on from what counts.
#include <catch2/catch.hpp>

#include "runtime/checkpoint/recovery.h"
#include "tests/support/choices.h"

namespace weir {
namespace {

/// A job's folder, a cluster with the job's marker, and what really counts. Lives of the job follow each other; each may
/// crash behind any of its steps.
class History {
 public:
  History(Choices& choices, bool may_switch)
      : choices_(choices), may_switch_(may_switch), authority_(choices.pick(2) ? "cluster" : "local") {}

  void run() {
    for (run_ = 1; run_ <= 3; ++run_)
      if (!live()) return;
  }

  int restored = 0, renamed = 0, refused = 0;

 private:
  /// False when the start is refused.
  bool live() {
    if (may_switch_ && run_ > 1 && choices_.pick(2)) authority_ = authority_ == "local" ? "cluster" : "local";
    story_ += fmt::format("| {}: ", authority_);
    RecoveryInput input{.job = "job", .authority = authority_, .found = folder_};
    if (authority_ == "cluster") input.marker = marker_;
    const RecoveryDecision decision = decide_recovery(input);
    if (decision.action == RecoveryAction::kRefuse) {
      ++refused;
      return false;
    }
    check(decision);
    start(decision);
    return true;
  }

  void check(const RecoveryDecision& decision) {
    INFO(story_);
    const std::optional<CheckpointName> rows =
        decision.restore ? decision.restore->manifest->origin_of_claim() : std::nullopt;
    REQUIRE(rows == rows_that_count_);
    REQUIRE((decision.action == RecoveryAction::kRestore) == decision.restore.has_value());
    if (!decision.restore) return;
    ++restored;
    renamed += decision.rename_first;
    if (!may_switch_) REQUIRE(decision.restore->manifest->marker() == *counts_);
    REQUIRE(decision.rename_first == (decision.restore->entry.state == CheckpointState::kPrepared));
  }

  bool crash(const char* behind) {
    if (!choices_.pick(2)) return false;
    story_ += fmt::format("crash behind {} ", behind);
    return true;
  }

  void start(const RecoveryDecision& decision) {
    if (decision.rename_first) rename(decision.restore->entry.epoch);
    last_marker_ = decision.last_marker;
    origin_ = decision.restore ? decision.restore->manifest->origin_of_claim() : std::nullopt;
    if (!take(true)) return;
    for (const Epoch e : decision.delete_prepared)
      std::erase_if(folder_, [&](const FoundCheckpoint& c) {
        return c.entry.epoch == e && c.entry.state == CheckpointState::kPrepared;
      });
    if (crash("the claim")) return;
    if (take(false)) crash("a checkpoint");
  }

  /// Prepares a checkpoint, commits it, renames it. False after a crash.
  bool take(bool claim) {
    const Epoch epoch = highest_ = highest_.next();
    Manifest m;
    m.id = epoch;
    m.run = {fmt::format("run{}", run_)};
    m.job = "job";
    m.authority = authority_;
    m.claim = claim;
    if (claim) m.origin = origin_;
    m.last_marker = last_marker_;
    folder_.push_back({{epoch, CheckpointState::kPrepared, fmt::format("chk-{}.prepared", epoch.value)}, m});
    story_ += fmt::format("{}{} ", claim ? "claim " : "", epoch.value);
    if (crash("prepare")) return false;
    if (authority_ == "cluster") {
      marker_ = m.marker();
      count(m);
      if (crash("commit")) return false;
    }
    rename(epoch);
    return true;
  }

  void rename(Epoch epoch) {
    for (FoundCheckpoint& c : folder_) {
      if (c.entry.epoch != epoch) continue;
      c.entry.state = CheckpointState::kCommitted;
      if (c.manifest->authority == "local") count(*c.manifest);
    }
  }

  void count(const Manifest& m) { counts_ = m.marker(), rows_that_count_ = m.origin_of_claim(); }

  Choices& choices_;
  const bool may_switch_;
  std::string authority_, story_;
  int run_ = 0;
  std::vector<FoundCheckpoint> folder_;
  Epoch highest_{};
  std::optional<Marker> marker_, counts_;
  std::optional<LastMarker> last_marker_;
  std::optional<CheckpointName> origin_,
      rows_that_count_;  ///< the checkpoint with rows that this life's claim, or what counts, holds
};

}  // namespace

TEST_CASE("whatever a crash interrupted, a start restores the last checkpoint that counts, and refuses nothing") {
  int restored = 0, renamed = 0, refused = 0;
  const std::size_t histories = for_all_choices([&](Choices& choices) {
    History history(choices, false);
    history.run();
    restored += history.restored, renamed += history.renamed, refused += history.refused;
  });
  CHECK(histories > 300);
  CHECK(restored > 300);
  CHECK(renamed > 50);
  CHECK(refused == 0);
}

TEST_CASE("when the authority changes between two starts, a start goes on from the rows that count, or is refused") {
  int restored = 0, refused = 0;
  const std::size_t histories = for_all_choices([&](Choices& choices) {
    History history(choices, true);
    history.run();
    restored += history.restored, refused += history.refused;
  });
  CHECK(histories > 1400);
  CHECK(restored > 5 * refused);
  CHECK(refused > 20);
}

}  // namespace weir
