#include "runtime/checkpoint/recovery.h"

#include <catch2/catch.hpp>

namespace weir {
namespace {

using Catch::Matchers::Contains;

const std::string kKafka = "kafka C1 weir-orders";
const std::string kOther = "kafka C2 weir-orders";

/// A start as the tests write it down: what lies in the folder, what the marker says, what is asked for.
class Start {
 public:
  explicit Start(std::string authority) {
    input_.job = "orders";
    input_.authority = std::move(authority);
  }
  Start& committed(std::uint64_t id, const std::string& run, const std::string& authority) {
    return add(id, run, authority, CheckpointState::kCommitted);
  }
  Start& prepared(std::uint64_t id, const std::string& run, const std::string& authority) {
    return add(id, run, authority, CheckpointState::kPrepared);
  }
  Start& claim() {
    last().manifest->claim = true;
    return *this;
  }
  Start& restored(const std::string& job, std::uint64_t id) {
    last().manifest->restored_from = CheckpointName{{id}, {"z"}, job};
    return *this;
  }
  Start& after_marker(const std::string& authority, std::uint64_t id, const std::string& run) {
    last().manifest->last_marker = LastMarker{authority, {{id}, {run}}};
    return *this;
  }
  Start& of_job(const std::string& job) {
    last().manifest->job = job;
    return *this;
  }
  Start& torn() {
    last().problem = fmt::format("{} is torn", last().entry.path.string());
    last().manifest.reset();
    return *this;
  }
  Start& marker(std::uint64_t id, const std::string& run) {
    input_.marker = Marker{{id}, {run}};
    return *this;
  }
  /// Takes the checkpoint added last out of the folder and names it with --from.
  Start& from_elsewhere() {
    input_.options.from = last();
    input_.found.pop_back();
    return *this;
  }
  Start& from(std::uint64_t id) {
    for (const auto& c : input_.found)
      if (c.entry.epoch.value == id) input_.options.from = c;
    return *this;
  }
  RecoveryOptions& options() { return input_.options; }
  RecoveryDecision decide() const { return decide_recovery(input_); }

 private:
  FoundCheckpoint& last() { return input_.found.back(); }
  Start& add(std::uint64_t id, const std::string& run, const std::string& authority, CheckpointState state) {
    Manifest m;
    m.id = {id};
    m.run = {run};
    m.authority = authority;
    m.job = "orders";
    input_.found.push_back(
        {{{id}, state, std::filesystem::path("/checkpoints/orders") / checkpoint_folder_name({id}, state)}, m});
    return *this;
  }
  RecoveryInput input_;
};

std::string shown(const std::vector<Epoch>& epochs) {
  std::string text;
  for (const Epoch e : epochs) text += fmt::format(" {}", e.value);
  return text;
}

/// `restore 7`, `rename and restore 7`, `new job`, `refuse`, `undecided`; then what is deleted, and `warn`.
std::string summary(const Start& start) {
  const RecoveryDecision d = start.decide();
  std::string text;
  switch (d.action) {
    case RecoveryAction::kNewJob: text = "new job"; break;
    case RecoveryAction::kRestore:
      text = fmt::format("{}restore {}", d.rename_first ? "rename and " : "", d.restore->entry.epoch.value);
      break;
    case RecoveryAction::kRefuse: return "refuse";
    case RecoveryAction::kUndecided: return "undecided";
  }
  if (!d.delete_prepared.empty()) text += ", delete" + shown(d.delete_prepared);
  if (!d.warnings.empty()) text += ", warn";
  return text;
}

std::string refusal(const Start& start) {
  const RecoveryDecision d = start.decide();
  REQUIRE(d.action == RecoveryAction::kRefuse);
  REQUIRE(d.refusal);
  CHECK(d.refusal->blame() == Blame::kRefused);
  return d.refusal->text();
}

}  // namespace

TEST_CASE("an empty folder without a marker is a new job") {
  CHECK(summary(Start("local")) == "new job");
  CHECK(summary(Start(kKafka)) == "new job");
}

TEST_CASE("under the local authority the rename is the commit") {
  CHECK(summary(Start("local").committed(3, "a", "local").committed(4, "a", "local")) == "restore 4");
  CHECK(summary(Start("local").committed(4, "a", "local").prepared(5, "a", "local")) == "restore 4, delete 5");
  CHECK(summary(Start("local").prepared(1, "a", "local")) == "new job, delete 1");
  CHECK(summary(Start("local").prepared(1, "a", "local").claim()) == "new job, delete 1");
  CHECK(summary(Start("local").committed(4, "a", "local").prepared(5, "a", "local").prepared(6, "b", "local").claim()) ==
        "restore 4, delete 5 6");
}

TEST_CASE("a prepared checkpoint is judged by the authority that it names") {
  // Prepared under local, never renamed: not committed, whatever the file says today.
  CHECK(summary(Start(kKafka).committed(4, "a", "local").prepared(5, "a", "local")) == "restore 4, delete 5");
  // Prepared under a cluster that this file does not reach.
  const Start unreachable = Start("local").committed(4, "a", kKafka).prepared(5, "a", kKafka);
  CHECK_THAT(refusal(unreachable), Contains("in doubt") && Contains("checkpoint 5 of run a") && Contains(kKafka) &&
                                       Contains("checkpoint 4 of run a"));
}

TEST_CASE("without a marker a newer prepared checkpoint is in doubt") {
  Start start = Start(kKafka).committed(4, "a", kKafka).prepared(5, "a", kKafka);
  CHECK_THAT(refusal(start), Contains("--in-doubt committed") && Contains("has no marker"));
  start.options().in_doubt = InDoubt::kCommitted;
  CHECK(summary(start) == "rename and restore 5");
  start.options().in_doubt = InDoubt::kAborted;
  CHECK(summary(start) == "restore 4, delete 5, warn");
}

TEST_CASE("a prepared claim without a marker is never in doubt") {
  CHECK(summary(Start(kKafka).prepared(1, "a", kKafka).claim()) == "new job, delete 1");
  CHECK(summary(Start(kKafka).committed(4, "a", kKafka).prepared(5, "b", kKafka).claim()) == "restore 4, delete 5, warn");
  CHECK(summary(Start("local").committed(4, "a", kKafka).prepared(5, "b", kKafka).claim()) == "restore 4, delete 5");
}

TEST_CASE("a first claim that was to go on from another job is no new job") {
  Start start(kKafka);
  start.prepared(4, "a", kKafka).claim().restored("totals", 3);
  CHECK_THAT(refusal(start), Contains("checkpoint 3 of the job totals") && Contains("--take-over"));
  start.options().fresh = true;
  CHECK(summary(start) == "new job, delete 4");
  CHECK(summary(Start("local").prepared(4, "a", "local").claim().restored("orders", 3)) == "new job, delete 4");
}

TEST_CASE("a marker that expired is warned of, and the newest committed checkpoint restored") {
  CHECK(summary(Start(kKafka).committed(3, "a", kKafka).committed(4, "a", kKafka)) == "restore 4, warn");
}

TEST_CASE("the marked checkpoint is restored, renamed first where it is only prepared") {
  CHECK(summary(Start(kKafka).marker(4, "a").committed(3, "a", kKafka).committed(4, "a", kKafka)) == "restore 4");
  CHECK(summary(Start(kKafka).marker(4, "a").committed(3, "a", kKafka).prepared(4, "a", kKafka)) == "rename and restore 4");
  CHECK(summary(Start(kKafka).marker(1, "a").prepared(1, "a", kKafka).claim()) == "rename and restore 1");
}

TEST_CASE("prepared checkpoints newer than the marker are deleted") {
  CHECK(summary(Start(kKafka).marker(4, "a").committed(4, "a", kKafka).prepared(5, "a", kKafka)) == "restore 4, delete 5");
  CHECK(summary(Start(kKafka).marker(4, "a").prepared(4, "a", kKafka).prepared(5, "b", kKafka).claim()) ==
        "rename and restore 4, delete 5");
}

TEST_CASE("a marker that went back is refused") {
  const Start start = Start(kKafka).marker(3, "a").committed(3, "a", kKafka).committed(4, "b", kKafka);
  CHECK_THAT(refusal(start),
             Contains("went back") && Contains("checkpoint 3 of run a") && Contains("checkpoint 4 of run b"));
}

TEST_CASE("a marker whose checkpoint is not here is lost") {
  CHECK_THAT(refusal(Start(kKafka).marker(9, "b").committed(4, "a", kKafka)),
             Contains("lost") && Contains("checkpoint 9 of run b") && Contains("checkpoint 4 of run a"));
  CHECK_THAT(refusal(Start(kKafka).marker(9, "b")), Contains("lost") && Contains("none here"));
}

TEST_CASE("a marked checkpoint of another run is diverged") {
  CHECK_THAT(refusal(Start(kKafka).marker(5, "b").committed(4, "a", kKafka).committed(5, "a", kKafka)),
             Contains("diverged") && Contains("checkpoint 5 of run b") && Contains("checkpoint 5 of run a"));
  CHECK_THAT(refusal(Start(kKafka).marker(5, "b").committed(4, "a", kKafka).prepared(5, "a", kKafka)), Contains("diverged"));
}

TEST_CASE("restoring anything but the marker's checkpoint needs --allow-duplicates") {
  Start start = Start(kKafka).marker(9, "b").committed(4, "a", kKafka);
  start.options().allow_duplicates = true;
  CHECK(summary(start) == "restore 4, warn");
  CHECK_THAT(start.decide().warnings.at(0), Contains("lost"));
  Start nothing = Start(kKafka).marker(9, "b");
  nothing.options().allow_duplicates = true;
  CHECK(summary(nothing) == "refuse");
}

TEST_CASE("from local to Kafka the claim is the first marker") {
  CHECK(summary(Start(kKafka).committed(4, "a", "local")) == "restore 4");
  // The claim was committed by Kafka and not yet renamed.
  CHECK(summary(Start(kKafka).marker(5, "b").committed(4, "a", "local").prepared(5, "b", kKafka).claim()) ==
        "rename and restore 5");
}

TEST_CASE("from Kafka to local the last marker is kept, and going back needs it") {
  const RecoveryDecision d = Start("local").committed(4, "a", kKafka).decide();
  CHECK(d.action == RecoveryAction::kRestore);
  CHECK(d.last_marker == LastMarker{kKafka, {{4}, {"a"}}});

  const RecoveryDecision later = Start("local").committed(6, "b", "local").after_marker(kKafka, 4, "a").decide();
  CHECK(later.last_marker == LastMarker{kKafka, {{4}, {"a"}}});

  const Start back =
      Start(kKafka).marker(4, "a").committed(4, "a", kKafka).committed(6, "b", "local").after_marker(kKafka, 4, "a");
  CHECK(summary(back) == "restore 6");
  CHECK(!back.decide().last_marker);
}

TEST_CASE("a checkpoint of another authority that does not follow the marker is refused") {
  CHECK_THAT(refusal(Start(kKafka).marker(5, "c").committed(6, "b", "local").after_marker(kKafka, 4, "a")),
             Contains("checkpoint 5 of run c") && Contains("checkpoint 4 of run a") && Contains("checkpoint 6 of run b"));
  CHECK_THAT(refusal(Start(kKafka).marker(5, "c").committed(6, "b", "local")), Contains("none here"));
  CHECK_THAT(refusal(Start(kKafka).marker(4, "a").committed(6, "b", "local").after_marker(kOther, 4, "a")),
             Contains("none here"));
}

TEST_CASE("a marker does not answer for a prepared checkpoint of another cluster") {
  Start start = Start(kKafka).marker(4, "a").committed(6, "b", kOther).after_marker(kKafka, 4, "a").prepared(7, "b", kOther);
  CHECK_THAT(refusal(start), Contains("in doubt") && Contains(kOther));
  start.options().in_doubt = InDoubt::kAborted;
  CHECK(summary(start) == "restore 6, delete 7");
  CHECK(start.decide().last_marker == LastMarker{kOther, {{6}, {"b"}}});
}

TEST_CASE("--in-doubt is refused when there is a marker, and noted when nothing is in doubt") {
  Start start = Start(kKafka).marker(4, "a").committed(4, "a", kKafka).prepared(5, "a", kKafka);
  start.options().in_doubt = InDoubt::kCommitted;
  CHECK_THAT(refusal(start), Contains("--in-doubt") && Contains("checkpoint 4 of run a"));
  Start quiet = Start("local").committed(4, "a", "local");
  quiet.options().in_doubt = InDoubt::kCommitted;
  CHECK(summary(quiet) == "restore 4, warn");
}

TEST_CASE("--fresh ignores the checkpoints and says what may come twice") {
  Start start = Start("local").committed(4, "a", "local").prepared(5, "a", "local");
  start.options().fresh = true;
  CHECK(summary(start) == "new job, delete 5, warn");
  Start empty("local");
  empty.options().fresh = true;
  CHECK(summary(empty) == "new job");
  Start torn = Start("local").committed(4, "a", "local").torn();
  torn.options().fresh = true;
  CHECK(summary(torn) == "new job, warn");
}

TEST_CASE("--fresh with a marker needs --allow-duplicates") {
  Start start = Start(kKafka).marker(4, "a").committed(4, "a", kKafka);
  start.options().fresh = true;
  CHECK_THAT(refusal(start), Contains("--allow-duplicates") && Contains("checkpoint 4 of run a"));
  start.options().allow_duplicates = true;
  CHECK(summary(start) == "new job, warn");
}

TEST_CASE("--from an older checkpoint restores it and says what may come twice") {
  CHECK(summary(Start("local").committed(3, "a", "local").committed(4, "a", "local").from(3)) == "restore 3, warn");
  CHECK(summary(Start("local").committed(3, "a", "local").committed(4, "a", "local").from(4)) == "restore 4");
  CHECK(summary(Start("local").committed(4, "a", "local").from_elsewhere()) == "restore 4");
}

TEST_CASE("--from with a marker needs --allow-duplicates unless it is the marker's checkpoint") {
  Start older = Start(kKafka).marker(4, "a").committed(3, "a", kKafka).committed(4, "a", kKafka).from(3);
  CHECK_THAT(refusal(older),
             Contains("--allow-duplicates") && Contains("checkpoint 4 of run a") && Contains("checkpoint 3 of run a"));
  older.options().allow_duplicates = true;
  CHECK(summary(older) == "restore 3, warn");
  CHECK(summary(Start(kKafka).marker(4, "a").committed(4, "a", kKafka).from_elsewhere()) == "restore 4");
  CHECK(summary(Start(kKafka).marker(4, "a").prepared(4, "a", kKafka).from(4)) == "rename and restore 4");
}

TEST_CASE("--from a prepared checkpoint needs somebody to say that it counts") {
  Start start = Start("local").committed(3, "a", "local").prepared(4, "a", "local").from(4);
  CHECK_THAT(refusal(start), Contains("prepared"));
  start.options().in_doubt = InDoubt::kCommitted;
  CHECK(summary(start) == "rename and restore 4, warn");
}

TEST_CASE("a checkpoint of another job is refused without --take-over or --copy") {
  CHECK_THAT(refusal(Start("local").committed(4, "a", "local").of_job("payments")),
             Contains("payments") && Contains("--copy"));
  Start from = Start("local").committed(4, "a", "local").of_job("payments").from_elsewhere();
  CHECK_THAT(refusal(from), Contains("payments") && Contains("--take-over"));
  from.options().other_job = true;
  CHECK(summary(from) == "restore 4");
}

TEST_CASE("a torn checkpoint that counts is refused with its reason, an old one is not in the way") {
  CHECK_THAT(refusal(Start("local").committed(4, "a", "local").torn()), Contains("is torn") && Contains("--from"));
  CHECK_THAT(refusal(Start("local").committed(4, "a", "local").prepared(5, "a", "local").torn()), Contains("is torn"));
  CHECK_THAT(refusal(Start("local").committed(4, "a", "local").torn().from_elsewhere()), Contains("is torn"));
  CHECK(summary(Start("local").committed(3, "a", "local").torn().committed(4, "a", "local")) == "restore 4");
}

TEST_CASE("a look refuses nothing that the next commit would make right") {
  Start one_behind = Start(kKafka).marker(3, "a").committed(4, "a", kKafka);
  CHECK(summary(one_behind) == "refuse");
  one_behind.options().looking = true;
  CHECK(summary(one_behind) == "undecided");
  Start lost = Start(kKafka).marker(9, "b").committed(4, "a", kKafka);
  lost.options().looking = true;
  CHECK(summary(lost) == "refuse");
  Start far_back = Start(kKafka).marker(1, "a").committed(4, "a", kKafka);
  far_back.options().looking = true;
  CHECK(summary(far_back) == "refuse");
}

}  // namespace weir
