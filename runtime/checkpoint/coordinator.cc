#include "runtime/checkpoint/coordinator.h"

#include <spdlog/spdlog.h>

#include "runtime/base/crash_point.h"
#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/state/state_table.h"

namespace weir {

Coordinator::Coordinator(CoordinatorOptions options, Manifest base, Epoch first, CheckpointFolder& folder,
                         CommitAuthority& authority, CheckpointParticipants& participants, CheckpointObserver& observer,
                         BlockingPool& pool, std::function<void(std::function<void()>)> post, const Clock& clock,
                         StateStore* store)
    : options_(std::move(options)),
      base_(std::move(base)),
      folder_(folder),
      authority_(authority),
      participants_(participants),
      observer_(observer),
      pool_(pool),
      post_(std::move(post)),
      clock_(clock),
      store_(store),
      tasks_(options_.source_of_task.size()),
      watermarks_(options_.sources.size(), Timestamp::none()),
      next_(first),
      committed_at_(clock.steady()) {}

bool Coordinator::all_ended() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const TaskState& t) { return t.ended.has_value(); });
}

/// Only what this epoch brought is of this epoch alone: everything else is true of the task in all later ones.
void Coordinator::TaskState::count_end() {
  snapshot = *ended;
  ended->parts.clear();
  ended->frozen.clear();
  counted = true;
}

void Coordinator::tick() {
  missed_tick_ = in_progress_;
  if (in_progress_ || done_ || all_ended()) return;
  const bool ended = std::any_of(tasks_.begin(), tasks_.end(), [](const TaskState& t) { return t.ended && !t.counted; });
  const bool moved = ended || participants_.moves() != moves_ || authority_.epoch_has_output(next_);
  if (!moved && clock_.steady() - committed_at_ < authority_.heartbeat()) return;
  begin(false);
}

void Coordinator::hurry() {
  if (!in_progress_ && !done_ && !all_ended() && authority_.commit_is_due()) begin(false);
}

void Coordinator::want(Epoch epoch) {
  wanted_ = std::max(wanted_, epoch);
  if (!in_progress_ && !done_ && !all_ended() && wanted_ >= next_) begin(false);
}

void Coordinator::finish() {
  finish_asked_ = true;
  if (!in_progress_ && !done_) begin(true);
}

void Coordinator::begin(bool last) {
  in_progress_ = collecting_ = true;
  last_ = last;
  triggered_at_ = clock_.steady();
  moves_ = participants_.moves();
  for (TaskState& t : tasks_) {
    t.snapshot.reset();
    if (t.ended && !t.counted) t.count_end();
  }
  participants_.trigger(next_, last);
  check_complete();
}

void Coordinator::on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) {
  if (!collecting_ || epoch != next_)
    throw Error(Blame::kBug, fmt::format("task {} handed in epoch {}; in progress: {}", task, epoch.value, next_.value));
  tasks_[static_cast<std::size_t>(task)].snapshot = std::move(snapshot);
  check_complete();
}

void Coordinator::on_finished(int task, TaskSnapshot snapshot) {
  TaskState& t = tasks_[static_cast<std::size_t>(task)];
  t.ended = std::move(snapshot);
  if (collecting_ && !t.snapshot) {  // it will not pass this barrier: its end counts for it
    t.count_end();
    return check_complete();
  }
  if (!in_progress_ && all_ended() && !done_) begin(true);
}

void Coordinator::check_complete() {
  if (!collecting_) return;
  for (const TaskState& t : tasks_)
    if (!t.snapshot && !(t.ended && t.counted)) return;
  collecting_ = false;
  write(collect());
}

std::optional<Coordinator::UnderWay> Coordinator::under_way() const {
  if (!in_progress_) return std::nullopt;
  UnderWay u{next_, triggered_at_, {}, doing_};
  for (std::size_t i = 0; collecting_ && i < tasks_.size(); ++i)
    if (!tasks_[i].snapshot && !(tasks_[i].ended && tasks_[i].counted)) u.tasks.push_back(static_cast<int>(i));
  return u;
}

Coordinator::Collected Coordinator::collect() {
  Collected collected{base_, {}};
  Manifest& m = collected.manifest;
  m.id = next_;
  m.claim = false;
  m.restored_from.reset();
  m.origin.reset();
  m.at = clock_.now();
  for (ManifestSource& s : m.sources) s.splits.clear(), s.watermark = Timestamp::none();
  m.parts.clear();
  for (ManifestSink& s : m.sinks)
    if (s.guarantee == "exactly_once" && s.type != "file") s.lane = authority_.lane(m.id);
  m.finished = true;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    TaskState& t = tasks_[i];
    m.finished &= t.ended.has_value() && t.counted;
    TaskSnapshot& s = t.snapshot ? *t.snapshot : *t.ended;
    if (const int source = options_.source_of_task[i]; source >= 0)
      for (std::size_t n = 0; n < s.splits.size(); ++n) {
        const SplitStatus status = n < s.statuses.size() ? s.statuses[n] : SplitStatus{s.splits[n].end};
        m.sources[static_cast<std::size_t>(source)].splits.push_back({s.splits[n], status.end, status.idle});
      }
    m.parts.insert(m.parts.end(), s.parts.begin(), s.parts.end());
    collected.frozen.insert(collected.frozen.end(), s.frozen.begin(), s.frozen.end());
    for (const TaskSnapshot::StepWatermark& w : s.watermarks)
      for (ManifestStep& step : m.steps)
        if (step.name == w.step) step.watermark = std::max(step.watermark, w.watermark);
  }
  for (std::size_t source = 0; source < watermarks_.size(); ++source)
    m.sources[source].watermark = watermarks_[source] = std::max(watermarks_[source], watermark_of(source));
  return collected;
}

/// The least watermark of a source's tasks for the epoch in progress. Those that are idle count when all are that have not
/// ended.
Timestamp Coordinator::watermark_of(std::size_t source) const {
  std::optional<Timestamp> busy, idle, ended;
  bool unknown = false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (options_.source_of_task[i] != static_cast<int>(source)) continue;
    const TaskSnapshot& s = tasks_[i].snapshot ? *tasks_[i].snapshot : *tasks_[i].ended;
    if (!s.watermark) {
      unknown |= !s.idle;
      continue;
    }
    std::optional<Timestamp>& least = *s.watermark == Timestamp::infinity() ? ended : s.idle ? idle : busy;
    least = std::min(least.value_or(Timestamp::infinity()), *s.watermark);
  }
  if (unknown) return Timestamp::none();
  return busy ? *busy : idle ? *idle : ended.value_or(Timestamp::none());
}

/// Brings the epoch's changes into the store and the store's files into the checkpoint.
void Coordinator::write_state(const Collected& collected, CheckpointWriter& writer, Manifest& manifest) {
  EpochDelta delta{.epoch = manifest.id, .tables = std::vector<std::vector<TableDelta>>(store_->tables().size())};
  for (const TaskSnapshot::Frozen& f : collected.frozen) {
    if (!f.rows || f.rows->empty()) continue;
    TableDelta rows = f.rows->encode();
    rows.sort();
    delta.tables[f.table.value].push_back(std::move(rows));
  }
  store_->ingest(delta);
  for (const StateFile& file : store_->checkpoint(writer.folder() / "state"))
    writer.add_present("state/" + file.name, file.checksum);
  for (ManifestStep& step : manifest.steps) {
    for (ManifestTable& table : step.tables) {
      const auto& names = store_->tables();
      const auto at = std::find(names.begin(), names.end(), step.name + "/" + table.name);
      const StateReader::Size size = store_->size({static_cast<std::uint32_t>(at - names.begin())});
      table.rows = size.rows, table.bytes = size.bytes;
    }
  }
}

void Coordinator::write(Collected collected) {
  doing_ = "its state and files are being written";
  pool_.run([this, collected = std::move(collected)] {
    CheckpointWriter writer = folder_.begin(collected.manifest.id);
    Manifest manifest = collected.manifest;
    if (store_) write_state(collected, writer, manifest);
    manifest.duration_ms = (clock_.steady() - triggered_at_).micros / 1000;
    manifest.commits = authority_.figures();
    const Manifest written = writer.prepare(manifest);
    crash_point("after-prepare");
    doing_ = "it is being committed";
    authority_.commit(written.id, written.run);
    warn_if_slow(written);
    crash_point("after-commit");
    doing_ = "its files get their names";
    folder_.commit(written.id);
    crash_point("during-rename");
    publish_parts(written.parts);
    authority_.begin(written.id.next().next());
    post_([this, written] { on_committed(written); });
    folder_.expire(options_.retain);
    post_([this, written] { on_expired(written); });
  });
}

/// A transaction is committed early at half its time-out, so a checkpoint has the other half.
void Coordinator::warn_if_slow(const Manifest& manifest) const {
  const Duration took = clock_.steady() - triggered_at_;
  if (!manifest.commits || took.micros * 2 < manifest.commits->timeout.micros) return;
  spdlog::warn(
      "checkpoint {} took more than half of the transaction time-out: {} of {}; when it takes all of it the broker aborts "
      "the "
      "transaction and the job goes back to its last checkpoint: raise transaction_timeout, or find out what holds it up",
      manifest.id.value, format_duration(Duration::milliseconds(took.micros / 1000)),
      format_duration(manifest.commits->timeout));
}

/// Tasks hear of it before old checkpoints are deleted: their rows turn clean, and sources tell their groups.
void Coordinator::on_committed(const Manifest& manifest) {
  committed_at_ = clock_.steady();
  observer_.on_checkpoint(manifest);
  participants_.committed(manifest.id);
}

void Coordinator::on_expired(const Manifest& manifest) {
  in_progress_ = false;
  next_ = next_.next();
  if (manifest.finished || last_) {
    done_ = true;
    observer_.on_done(manifest.finished);
  } else if (finish_asked_ || all_ended()) {
    begin(true);
  } else if (wanted_ >= next_) {
    begin(false);
  } else if (missed_tick_) {
    tick();
  }
}

void publish_parts(const std::vector<PendingPart>& parts) {
  for (const PendingPart& part : parts)
    if (is_there(part.pending)) rename_durably(part.pending, part.final);
    else if (!is_there(part.final))
      throw Error(Blame::kEnvironment, fmt::format("a part file of the checkpoint is gone under both its names: {}, {}",
                                                   part.pending, part.final));
}

}  // namespace weir
