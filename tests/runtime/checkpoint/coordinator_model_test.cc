// The coordinator against tasks that do what real ones may do, in every order: what each manifest must hold is known from a
// model.
#include <catch2/catch.hpp>

#include "tests/runtime/checkpoint/coordinator_stage.h"
#include "tests/runtime/checkpoint/faulty_disk.h"
#include "tests/support/choices.h"

namespace weir {
namespace {

/// What happens in a run besides what the tasks do.
struct Scenario {
  std::vector<std::int64_t> rows;  ///< each source has so many; then it ends. Below 0: so many, and it never ends
  int ticks = 0;
  std::vector<std::uint64_t> wants{};  ///< of the epoch in progress (0), of the one behind it (1)
  bool finish = false;
  std::size_t keyed_reads = 1;  ///< so many sources, the first ones; what the others read goes elsewhere
};

/// Source tasks, each with a split of its own, and one keyed task that reads some of them and writes parts. A row counts as
/// written in the epoch in which the keyed task got it: its part names how many there were.
class ModelRun {
 public:
  ModelRun(const Scenario& scenario, Choices& choices)
      : scenario_(scenario),
        choices_(choices),
        stage_(tasks_of(scenario)),
        disk_(stage_.job_folder()),
        sources_(scenario.rows.size()),
        part_(stage_.files_.write("part", "").string()) {}

  void run() {
    for (std::vector<Action> enabled; enabled = actions(), !enabled.empty();) {
      const Action& a = choices_.pick_of(enabled);
      history_ += a.name + " ";
      INFO("so far: " << history_);
      a.act();
      check();
    }
    INFO("all of it: " << history_);
    check_end();
  }

 private:
  struct Action {
    std::string name;
    std::function<void()> act;
  };
  struct Source {
    std::int64_t position = 0, at_barrier = 0;  ///< rows read; those before the last barrier it sent
    std::optional<Epoch> mail{};                ///< a trigger that it has not seen
    bool mail_is_last = false, stopped = false, ended = false;
    Epoch passed{};                            ///< the last barrier that it sent
    std::deque<std::function<void()>> outbox;  ///< what it told, and the coordinator has not heard
  };

  static std::vector<int> tasks_of(const Scenario& scenario) {
    std::vector<int> tasks;
    for (std::size_t i = 0; i < scenario.rows.size(); ++i) tasks.push_back(static_cast<int>(i));
    tasks.push_back(-1);
    return tasks;
  }

  std::vector<Action> actions() {
    std::vector<Action> all;
    for (std::size_t i = 0; i < sources_.size(); ++i) add_actions_of(i, all);
    add_actions_of_keyed(all);
    if (!stage_.pool.empty()) all.push_back({"write", [&] { stage_.run_pool(); }});
    if (!stage_.strand.empty()) all.push_back({"hear", [&] { stage_.run_strand(); }});
    if (done_) return all;
    if (ticks_ < scenario_.ticks) all.push_back({"tick", [&] { tick(); }});
    if (wants_ < scenario_.wants.size()) all.push_back({"want", [&] { want(); }});
    if (scenario_.finish && !finish_asked_)
      all.push_back({"finish", [&] { finish_asked_ = true, stage_.coordinator->finish(); }});
    return all;
  }

  /// Something moved: there is a checkpoint. Nothing moved and nothing ended: there is none.
  void tick() {
    ++ticks_;
    const std::size_t before = stage_.log.size();
    const bool idle = triggered_ == committed_ && stage_.strand.empty(), moved = stage_.moved != moved_at_trigger_;
    stage_.coordinator->tick();
    if (!idle || (!moved && !keyed_ended_)) REQUIRE(stage_.log.size() == before);
    else if (moved) REQUIRE(stage_.log.size() > before);
  }

  void want() {
    wanted_ = std::max(wanted_, Epoch{in_progress().value + scenario_.wants[wants_++]});
    stage_.coordinator->want(wanted_);
  }

  void add_actions_of(std::size_t i, std::vector<Action>& all) {
    Source& s = sources_[i];
    const std::string n = std::to_string(i);
    const std::int64_t rows = scenario_.rows[i];
    if (!s.outbox.empty()) all.push_back({"told" + n, [&s] { deliver(s.outbox); }});
    if (s.mail) all.push_back({"mail" + n, [this, i] { take_mail(i); }});
    if (s.ended || s.stopped) return;
    if (s.position < std::abs(rows)) all.push_back({"read" + n, [this, &s] { ++s.position, ++stage_.moved; }});
    else if (rows >= 0) all.push_back({"end" + n, [this, i] { end(i); }});
  }

  static void deliver(std::deque<std::function<void()>>& outbox) {
    const auto told = std::move(outbox.front());
    outbox.pop_front();
    told();
  }

  TaskSnapshot snapshot_of(std::size_t i) const {
    const Source& s = sources_[i];
    TaskSnapshot snapshot = source_at(static_cast<int>(i), s.position, scenario_.rows[i] < 0 ? 100 : scenario_.rows[i]);
    snapshot.splits[0].ended = s.ended;
    snapshot.watermark = s.ended ? Timestamp::infinity() : Timestamp{s.position};
    return snapshot;
  }

  void take_mail(std::size_t i) {
    Source& s = sources_[i];
    const Epoch epoch = *std::exchange(s.mail, std::nullopt);
    if (s.ended) return;  // its final snapshot answers
    s.stopped |= s.mail_is_last;
    s.passed = epoch;
    s.at_barrier = s.position;
    told_[epoch].positions[i] = s.position;
    s.outbox.push_back([this, i, epoch, snapshot = snapshot_of(i)] {
      stage_.coordinator->on_snapshot(static_cast<int>(i), epoch, snapshot);
    });
  }

  void end(std::size_t i) {
    Source& s = sources_[i];
    s.ended = true;
    ++stage_.moved;
    s.outbox.push_back(
        [this, i, snapshot = snapshot_of(i)] { stage_.coordinator->on_finished(static_cast<int>(i), snapshot); });
  }

  /// The keyed task passes barrier e when each source sent it or ended; with all ended and no barrier under way it ends
  /// itself.
  void add_actions_of_keyed(std::vector<Action>& all) {
    if (!keyed_outbox_.empty()) all.push_back({"toldK", [this] { deliver(keyed_outbox_); }});
    if (keyed_ended_) return;
    const Epoch next = std::max(keyed_passed_.next(), CoordinatorStage::kFirst);
    bool any = false, every = true, all_ended = true;
    for (const Source& s : read_by_keyed()) {
      any |= s.passed >= next;
      every &= s.passed >= next || s.ended;
      all_ended &= s.ended;
    }
    if (any && every) all.push_back({"passK", [this, next] { pass_keyed(next); }});
    if (!any && all_ended) all.push_back({"endK", [this] { end_keyed(); }});
  }

  std::span<const Source> read_by_keyed() const { return std::span(sources_).first(scenario_.keyed_reads); }
  /// Rows that came before barrier `epoch`, of each source up to it or to its end.
  std::int64_t rows_before(Epoch epoch) const {
    std::int64_t rows = 0;
    for (const Source& s : read_by_keyed()) rows += s.passed >= epoch ? s.at_barrier : s.position;
    return rows;
  }

  TaskSnapshot keyed_snapshot(std::int64_t rows) {
    TaskSnapshot snapshot;
    snapshot.watermarks.push_back({"keyed", Timestamp{rows}});
    if (rows > keyed_rows_) snapshot.parts.push_back({"rows-" + std::to_string(rows - keyed_rows_), part_});
    keyed_rows_ = rows;
    return snapshot;
  }

  void pass_keyed(Epoch epoch) {
    keyed_passed_ = epoch;
    told_[epoch].keyed = rows_before(epoch);
    keyed_outbox_.push_back([this, epoch, snapshot = keyed_snapshot(rows_before(epoch))] {
      stage_.coordinator->on_snapshot(static_cast<int>(sources_.size()), epoch, snapshot);
    });
  }

  void end_keyed() {
    keyed_ended_ = true;
    keyed_outbox_.push_back([this, snapshot = keyed_snapshot(rows_before({UINT64_MAX}))] {
      stage_.coordinator->on_finished(static_cast<int>(sources_.size()), snapshot);
    });
  }

  Epoch in_progress() const { return Epoch{CoordinatorStage::kFirst.value + stage_.manifests.size()}; }

  /// What was logged since the last look, against the rules.
  void check() {
    for (; seen_ < stage_.log.size(); ++seen_) {
      const std::string& entry = stage_.log[seen_];
      REQUIRE_FALSE(done_);
      if (entry.starts_with("trigger")) {
        const Epoch epoch{CoordinatorStage::kFirst.value + triggered_++};
        const bool last = entry == fmt::format("trigger {} last", epoch.value);
        REQUIRE((last || entry == fmt::format("trigger {}", epoch.value)));
        REQUIRE(committed_ + 1 == triggered_);  // the one before is committed, and the tasks know
        if (!last) REQUIRE_FALSE(last_);
        last_ = last;
        moved_at_trigger_ = stage_.moved;
        for (Source& s : sources_) s.mail = epoch, s.mail_is_last = last;
      } else if (entry.starts_with("checkpoint")) {
        REQUIRE(entry == fmt::format("checkpoint {}", CoordinatorStage::kFirst.value + checked_));
        check_manifest(stage_.manifests.at(checked_++));
      } else if (entry.starts_with("committed")) {
        REQUIRE(entry == fmt::format("committed {}", CoordinatorStage::kFirst.value + committed_++));
        REQUIRE(checked_ == committed_);
      } else {
        done_ = true;
        REQUIRE(entry == (stage_.manifests.back().finished ? "done finished" : "done"));
        REQUIRE((last_ || stage_.manifests.back().finished));
      }
    }
  }

  /// Positions are those at the barrier or at the end; what was written up to here is all that was read up to here; a step
  /// keeps its watermark.
  void check_manifest(const Manifest& m) {
    const auto& told = told_[m.id];
    std::int64_t read = 0;
    bool finished = keyed_ended_ && !told.keyed;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      REQUIRE(m.sources.at(i).splits.size() == 1);
      const SplitState& split = m.sources[i].splits[0].state;
      const auto at = told.positions.find(i);
      REQUIRE(split.next == (at != told.positions.end() ? at->second : sources_[i].position));
      REQUIRE(split.ended == (at == told.positions.end()));
      REQUIRE(m.sources[i].watermark == (split.ended ? Timestamp::infinity() : Timestamp{split.next}));
      REQUIRE(m.sources[i].splits[0].end_offset == split.end);
      if (i < scenario_.keyed_reads) read += split.next;
      finished &= split.ended;
    }
    for (const PendingPart& part : m.parts) written_ += std::stoll(part.pending.substr(5));
    REQUIRE(written_ == read);
    REQUIRE(m.steps.at(0).watermark == Timestamp{read});
    REQUIRE(m.steps.at(1).watermark == Timestamp::none());
    REQUIRE(m.finished == finished);
  }

  /// Nothing can happen any more: whoever waits for something waits for ever.
  void check_end() {
    const bool all_ended = std::all_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.ended; });
    REQUIRE(done_ == (all_ended || finish_asked_));
    REQUIRE(triggered_ == committed_);
    if (all_ended) REQUIRE(stage_.manifests.back().finished);
    if (!done_) REQUIRE(wanted_ < in_progress());
  }

  struct Told {
    std::map<std::size_t, std::int64_t> positions;  ///< of the sources that passed the barrier
    std::optional<std::int64_t> keyed{};
  };
  const Scenario scenario_;
  Choices& choices_;
  CoordinatorStage stage_;
  FaultyDisk disk_;
  std::vector<Source> sources_;
  const std::string part_;
  std::string history_;
  std::map<Epoch, Told> told_;
  std::deque<std::function<void()>> keyed_outbox_;
  Epoch keyed_passed_{}, wanted_{};
  std::int64_t keyed_rows_ = 0, written_ = 0;
  bool keyed_ended_ = false, finish_asked_ = false, last_ = false, done_ = false;
  int ticks_ = 0;
  std::uint64_t moved_at_trigger_ = 0;
  std::size_t wants_ = 0, seen_ = 0, triggered_ = 0, checked_ = 0, committed_ = 0;
};

std::size_t all_orders(const Scenario& scenario) {
  return for_all_choices([&](Choices& choices) { ModelRun(scenario, choices).run(); });
}

}  // namespace

TEST_CASE(
    "in every order of triggers, barriers, ends and stops a checkpoint holds what came before its barrier, and a job gets "
    "to its end") {
  // As many as there are: a rule that keeps something from happening at all would make them fewer.
  CHECK(all_orders({.rows = {0}, .ticks = 1, .finish = true}) > 900);
  CHECK(all_orders({.rows = {-2}, .ticks = 1, .finish = true}) > 700);
  CHECK(all_orders({.rows = {-1}, .wants = {1}}) > 100);
  CHECK(all_orders({.rows = {-1}, .wants = {0}}) > 20);
}

TEST_CASE("the same in many orders of more tasks, triggers and wishes") {
  for_random_choices(150, [](Choices& choices) {
    ModelRun({.rows = {1, -2}, .ticks = 4, .wants = {0, 1, 1}, .finish = true}, choices).run();
    ModelRun({.rows = {0, 3, 2}, .ticks = 5, .wants = {1, 0}, .keyed_reads = 3}, choices).run();
    ModelRun({.rows = {2, 2}, .ticks = 6, .finish = true, .keyed_reads = 2}, choices).run();
  });
}

}  // namespace weir
