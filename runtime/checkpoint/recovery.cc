#include "runtime/checkpoint/recovery.h"

namespace weir {
namespace {

bool is_prepared(const FoundCheckpoint& c) { return c.entry.state == CheckpointState::kPrepared; }
bool is_of(const FoundCheckpoint& c, const std::string& authority) {
  return c.manifest && c.manifest->authority == authority;
}

/// `checkpoint 42 of run b1f0`; what is not there is `none here`.
std::string describe(const FoundCheckpoint* c) {
  if (c == nullptr) return "none here";
  return fmt::format("checkpoint {} of run {}", c->manifest->id.value, c->manifest->run.value);
}
std::string describe(const Marker& m) { return fmt::format("checkpoint {} of run {}", m.epoch.value, m.run.value); }

/// One look at the input; each step of the table is a function that may decide.
class Recovery {
 public:
  explicit Recovery(const RecoveryInput& input) : in_(input), options_(input.options) {
    for (const FoundCheckpoint& c : in_.found) {
      auto& newest = is_prepared(c) ? newest_prepared_ : newest_;
      if (newest == nullptr || newest->entry.epoch < c.entry.epoch) newest = &c;
    }
  }

  RecoveryDecision decide() {
    if (auto refusal = unreadable()) return refuse(std::move(*refusal));
    if (auto refusal = of_another_job()) return refuse(std::move(*refusal));
    if (options_.fresh || options_.from) return as_asked();
    if (auto refusal = judge()) return refuse(std::move(*refusal));
    return decision_;
  }

 private:
  using Refusal = std::optional<std::string>;

  RecoveryDecision refuse(std::string text) {
    RecoveryDecision decision;
    decision.action = options_.looking && may_become_right() ? RecoveryAction::kUndecided : RecoveryAction::kRefuse;
    if (decision.action == RecoveryAction::kRefuse) decision.refusal = Error(Blame::kRefused, std::move(text));
    return decision;
  }

  /// True if a commit that the look may have missed is that of a checkpoint here.
  bool may_become_right() const {
    for (const FoundCheckpoint& c : in_.found)
      if (is_of(c, in_.authority) && in_.authority != kLocalAuthority &&
          (!in_.marker || c.entry.epoch == in_.marker->epoch.next()))
        return true;
    return false;
  }

  /// The newest committed checkpoint and all newer prepared ones must be readable: which authority they follow is in the
  /// manifest.
  Refusal unreadable() const {
    if (options_.from && !options_.from->manifest) return options_.from->problem;
    if (options_.fresh || options_.from) return std::nullopt;
    for (const FoundCheckpoint& c : in_.found) {
      const bool counts =
          &c == newest_ || (is_prepared(c) && newer_than_newest(c)) || (in_.marker && c.entry.epoch == in_.marker->epoch);
      if (counts && !c.manifest)
        return fmt::format(
            "{}; repair or restore that folder, start from an older checkpoint with --from, or ignore all with --fresh",
            c.problem);
    }
    return std::nullopt;
  }

  Refusal of_another_job() const {
    const FoundCheckpoint* c = options_.from    ? &*options_.from
                               : options_.fresh ? nullptr
                               : newest_        ? newest_
                                                : newest_prepared_;
    if (c == nullptr || !c->manifest || c->manifest->job == in_.job || (options_.from && options_.other_job))
      return std::nullopt;
    return fmt::format(
        "{} is a checkpoint of the job {}, not of {}: give --from with --take-over to rename that job, or with --copy to "
        "start from "
        "its state without touching it",
        c->entry.path.string(), c->manifest->job, in_.job);
  }

  bool newer_than_newest(const FoundCheckpoint& c) const {
    return newest_ == nullptr || newest_->entry.epoch < c.entry.epoch;
  }

  /// `--fresh` and `--from`: what the marker stands for is given up, which must be said aloud.
  RecoveryDecision as_asked() {
    const FoundCheckpoint* from = options_.from ? &*options_.from : nullptr;
    const bool is_marker =
        from && in_.marker && from->manifest->marker() == *in_.marker && from->manifest->authority == in_.authority;
    if (in_.marker && !is_marker && !options_.allow_duplicates)
      return refuse(fmt::format(
          "{} goes back behind what is committed, so rows would be written twice: say so with --allow-duplicates, or start "
          "without {}; committed by {}: {}, asked for: {}",
          option_name(), option_name(), in_.authority, describe(*in_.marker), from ? describe(from) : "none"));
    if (from && is_prepared(*from) && !is_marker && options_.in_doubt != InDoubt::kCommitted)
      return refuse(fmt::format(
          "{} is prepared and nothing says that it was committed: start from a committed checkpoint, or say with --in-doubt "
          "committed that it counts",
          from->entry.path.string()));
    const FoundCheckpoint* here = from && is_prepared(*from) ? prepared_here(*from) : nullptr;
    if (from) restore(here ? *here : *from, here != nullptr);
    if (from ? is_behind(*from) && !is_marker : newest_ != nullptr)
      decision_.warnings.push_back(
          fmt::format("{}: what was written since may come twice; newest checkpoint: {}, starting from: {}", option_name(),
                      newest_ && newest_->manifest ? describe(newest_) : "none here", from ? describe(from) : "none"));
    keep_last_marker(from);
    delete_prepared_but(here);
    return decision_;
  }

  /// The prepared checkpoint of the job's folder that `--from` names, which the rename must make a committed one.
  const FoundCheckpoint* prepared_here(const FoundCheckpoint& from) const {
    for (const FoundCheckpoint& c : in_.found)
      if (is_prepared(c) && c.manifest && c.manifest->name() == from.manifest->name()) return &c;
    return nullptr;
  }

  const char* option_name() const { return options_.from ? "--from" : "--fresh"; }
  bool is_behind(const FoundCheckpoint& from) const {
    return newest_ && !(newest_->manifest && newest_->manifest->name() == from.manifest->name());
  }

  /// The table.
  Refusal judge() {
    const FoundCheckpoint* judged = nullptr;  // of the marker, or the newest committed one
    if (in_.marker) {
      if (auto refusal = find_marked(judged)) {
        if (!options_.allow_duplicates || newest_ == nullptr) return refusal;
        judged = newest_;
        decision_.warnings.push_back(
            fmt::format("--allow-duplicates: going on from {} although {}", describe(newest_), *refusal));
      }
    } else {
      judged = newest_;
    }
    if (auto refusal = judge_in_doubt(judged)) return refusal;
    if (judged == nullptr) {
      if (auto refusal = unfinished_move()) return refusal;
      keep_last_marker(nullptr);
    } else {
      if (!in_.marker && in_.authority != kLocalAuthority && is_of(*judged, in_.authority) && !is_prepared(*judged))
        decision_.warnings.push_back(
            fmt::format("the marker of {} expired or its topic was made anew; going on from {}, the newest committed here",
                        in_.authority, describe(judged)));
      restore(*judged, is_prepared(*judged));
      keep_last_marker(judged);
    }
    delete_prepared_but(judged);
    return std::nullopt;
  }

  /// Rows of the table with a marker M: finds what is to be restored.
  Refusal find_marked(const FoundCheckpoint*& judged) const {
    const Marker& m = *in_.marker;
    const FoundCheckpoint *same = nullptr, *other_run = nullptr;
    for (const FoundCheckpoint& c : in_.found) {
      if (c.entry.epoch != m.epoch || !is_of(c, in_.authority)) continue;
      if (c.manifest->run != m.run) other_run = &c;
      else if (same == nullptr || !is_prepared(c)) same = &c;
    }
    const FoundCheckpoint* newest = newest_;
    if (newest && !is_of(*newest, in_.authority) && !(same && newest->entry.epoch < m.epoch)) {
      judged = newest;
      return after_another_authority(*newest);
    }
    if (newest && m.epoch < newest->entry.epoch)
      return fmt::format(
          "the marker went back (topic deleted, offsets reset, or a mirrored cluster): going on would write rows twice; "
          "restore the "
          "group's offsets, or start with --allow-duplicates; committed by {}: {}, newest here: {}",
          in_.authority, describe(m), describe(newest));
    judged = same;
    if (same) return std::nullopt;
    if (other_run)
      return fmt::format(
          "diverged: this folder and what is committed come from two runs, as after a copied folder; start where the other "
          "run's folder "
          "is, or with --allow-duplicates; committed by {}: {}, here: {}",
          in_.authority, describe(m), describe(other_run));
    return fmt::format(
        "lost: the checkpoint that is committed is not in this folder; bring the folder back that has it, or start with "
        "--fresh or --from "
        "and --allow-duplicates; committed by {}: {}, newest here: {}",
        in_.authority, describe(m), describe(newest));
  }

  /// The newest checkpoint is of another authority: it is right if it was taken after this authority's last marker.
  Refusal after_another_authority(const FoundCheckpoint& c) const {
    const auto& last = c.manifest->last_marker;
    if (last && last->authority == in_.authority && last->marker == *in_.marker) return std::nullopt;
    return fmt::format(
        "the newest checkpoint here was committed by {} and does not go on from what {} committed last; start where that "
        "folder is, or "
        "with --allow-duplicates; committed: {}, known here: {}, newest here: {}",
        c.manifest->authority, in_.authority, describe(*in_.marker),
        last && last->authority == in_.authority ? describe(last->marker) : "none here", describe(&c));
  }

  /// Prepared checkpoints newer than what is to be restored, whose authority cannot say whether they count.
  Refusal judge_in_doubt(const FoundCheckpoint*& judged) {
    const FoundCheckpoint* doubtful = nullptr;
    for (const FoundCheckpoint& c : in_.found) {
      if (!is_prepared(c) || &c == judged || (judged && c.entry.epoch <= judged->entry.epoch) || !newer_than_newest(c))
        continue;
      if (c.manifest->claim || c.manifest->authority == kLocalAuthority) continue;  // no rows of its own; not renamed
      if (in_.marker && c.manifest->authority == in_.authority) continue;           // the marker says that it does not count
      if (doubtful == nullptr || doubtful->entry.epoch < c.entry.epoch) doubtful = &c;
    }
    if (doubtful == nullptr) return in_doubt_without_doubt();
    if (!options_.in_doubt)
      return fmt::format(
          "in doubt: whether {} was committed is not known, since {}. If its rows are in the sinks, start with --in-doubt "
          "committed, else "
          "with --in-doubt aborted; newest committed here: {}",
          describe(doubtful), why_in_doubt(*doubtful), describe(newest_));
    if (*options_.in_doubt == InDoubt::kCommitted) judged = doubtful;
    return std::nullopt;
  }

  /// A first claim that restores another job's checkpoint and was not committed: a new job would begin at the start, and
  /// read again what the other one has written.
  Refusal unfinished_move() const {
    if (newest_ || !newest_prepared_ || !newest_prepared_->manifest->claim) return std::nullopt;
    const auto& from = newest_prepared_->manifest->restored_from;
    if (!from || from->job == in_.job) return std::nullopt;
    return fmt::format(
        "a start from checkpoint {} of the job {} was not finished: give --from with --take-over (or --copy) again, or "
        "begin anew with "
        "--fresh; found: {}",
        from->id.value, from->job, newest_prepared_->entry.path.string());
  }

  Refusal in_doubt_without_doubt() {
    if (!options_.in_doubt) return std::nullopt;
    if (in_.marker)
      return fmt::format("--in-doubt is refused, since {} answers: {} is committed", in_.authority, describe(*in_.marker));
    decision_.warnings.push_back("--in-doubt: nothing is in doubt");
    return std::nullopt;
  }

  std::string why_in_doubt(const FoundCheckpoint& c) const {
    if (c.manifest->authority == in_.authority) return fmt::format("{} has no marker", in_.authority);
    return fmt::format("it follows {}, which this file does not reach (its own is {})", c.manifest->authority,
                       in_.authority);
  }

  void restore(const FoundCheckpoint& c, bool rename_first) {
    decision_.action = RecoveryAction::kRestore;
    decision_.restore = c;
    decision_.rename_first = rename_first;
  }

  /// A start under another authority remembers the last marker of the one that the job had.
  void keep_last_marker(const FoundCheckpoint* restored) {
    if (restored == nullptr) return;
    const Manifest& m = *restored->manifest;
    if (m.authority == kLocalAuthority || m.authority == in_.authority) decision_.last_marker = m.last_marker;
    else decision_.last_marker = LastMarker{m.authority, m.marker()};
    if (decision_.last_marker && decision_.last_marker->authority == in_.authority) decision_.last_marker.reset();
  }

  void delete_prepared_but(const FoundCheckpoint* kept) {
    for (const FoundCheckpoint& c : in_.found)
      if (is_prepared(c) && &c != kept) decision_.delete_prepared.push_back(c.entry.epoch);
  }

  const RecoveryInput& in_;
  const RecoveryOptions& options_;
  const FoundCheckpoint* newest_ = nullptr;  ///< C
  const FoundCheckpoint* newest_prepared_ = nullptr;
  RecoveryDecision decision_;
};

}  // namespace

RecoveryDecision decide_recovery(const RecoveryInput& input) { return Recovery(input).decide(); }

FoundCheckpoint find_checkpoint(const std::filesystem::path& checkpoint) {
  std::filesystem::path path = checkpoint.lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  const bool prepared = path.extension() == ".prepared";
  FoundCheckpoint found{{{}, prepared ? CheckpointState::kPrepared : CheckpointState::kCommitted, path}, std::nullopt};
  try {
    found.manifest = read_checkpoint(path);
    found.entry.epoch = found.manifest->id;
  } catch (const Error& e) {
    if (e.blame() == Blame::kUser) throw;
    found.problem = e.text();
  }
  return found;
}

std::vector<FoundCheckpoint> find_checkpoints(const std::filesystem::path& job_folder) {
  std::vector<FoundCheckpoint> found;
  for (const CheckpointEntry& entry : list_checkpoints(job_folder)) {
    FoundCheckpoint c{entry, std::nullopt};
    try {
      c.manifest = read_checkpoint(entry.path);
      if (c.manifest->id != entry.epoch) {
        c.problem = fmt::format("checkpoint {} cannot be used: its manifest is that of checkpoint {}", entry.path.string(),
                                c.manifest->id.value);
        c.manifest.reset();
      }
    } catch (const Error& e) {
      c.problem = e.text();
    }
    found.push_back(std::move(c));
  }
  return found;
}

}  // namespace weir
