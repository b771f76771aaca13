#include "runtime/job/recovery.h"

#include <array>

#include <spdlog/spdlog.h>

#include "runtime/base/crash_point.h"
#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/job/authority.h"
#include "runtime/job/restored_parts.h"
#include "runtime/job/start_report.h"

namespace weir {

namespace {

/// The name in the file MOVED of a job's folder, or "".
std::string read_moved(const std::filesystem::path& folder) {
  if (!is_there(folder / "MOVED")) return {};
  std::string name = read_whole_file(folder / "MOVED", 4096);
  while (!name.empty() && (name.back() == '\n' || name.back() == ' ')) name.pop_back();
  return name;
}

/// The newest checkpoint that is not a claim in doubt.
const FoundCheckpoint* newest_of(const std::vector<FoundCheckpoint>& found) {
  const FoundCheckpoint* newest = nullptr;
  for (const FoundCheckpoint& c : found)
    if (c.manifest && !(c.manifest->claim && c.entry.state == CheckpointState::kPrepared) &&
        (!newest || newest->entry.epoch < c.entry.epoch))
      newest = &c;
  return newest;
}

/// What is said of a job that begins anew because its input cannot be read again, where it has a checkpoint.
std::vector<std::string> begins_anew_warnings(const std::vector<FoundCheckpoint>& found) {
  const auto newest =
      std::find_if(found.rbegin(), found.rend(), [](const FoundCheckpoint& c) { return c.manifest && !c.manifest->claim; });
  if (newest == found.rend()) return {};
  return {
      fmt::format("the job begins anew, without the state of checkpoint {}: its input cannot be read again (--continue goes "
                  "on from that "
                  "state with the new rows)",
                  newest->manifest->id.value)};
}

/// A claim holds the state as it was restored: its tables' sizes and the sources' watermarks are those of then.
void show_what_was_restored(Manifest& claim, const StartingPoint& from) {
  for (ManifestStep& step : claim.steps)
    for (ManifestTable& table : step.tables)
      for (const ManifestStep& s : from.restored->steps)
        for (const ManifestTable& t : s.tables)
          if (!from.is_dropped(s.name) && s.name == step.name && t.name == table.name)
            table.rows = t.rows, table.bytes = t.bytes;
  for (ManifestSource& source : claim.sources)
    for (const ManifestSource& s : from.restored->sources)
      if (s.name == source.name && !(from.wishes.read_on && s.watermark == Timestamp::infinity()))
        source.watermark = s.watermark;
}

}  // namespace

Recovery::Recovery(const JobSetting& setting, const Restarts& restarts, CheckpointFolder& folder, AttemptContext& attempt,
                   AttemptRecord& record)
    : setting_(setting), restarts_(restarts), folder_(folder), attempt_(attempt), record_(record) {}

std::optional<Claimed> Recovery::run() {
  refuse_moved(read_moved(folder_.path()));
  std::unique_ptr<CommitAuthority> authority = make_authority(setting_.graph, attempt_);
  const bool left_former = leave_former_authority(authority->name());
  Look found = look(*authority, left_former);
  if (!found.from.nothing_to_do())
    for (const Vertex& vertex : setting_.graph.vertices)
      if (vertex.sink) vertex.sink->look_up(attempt_);

  open(*authority, found, left_former);
  crash_point("after-init");
  StartingPoint& from = found.from;
  tell_of_dropped_state(setting_.graph, from);

  std::vector<Epoch> also;
  if (from.restored) also.push_back(from.restored->id);
  if (const auto old = from.folder_taken_over(attempt_.job)) take_over(*authority, from, *old);
  const Epoch epoch = folder_.next_epoch(found.input.marker, also);
  rename_restored(from);
  if (!from.nothing_to_do()) return claim(std::move(authority), from, epoch);
  publish_restored_parts(setting_.graph, folder_, attempt_.job, from);
  tell_of_nothing_to_do(setting_.graph, *from.restored);
  return std::nullopt;
}

Recovery::Look Recovery::look(CommitAuthority& authority, bool left_former) {
  Look look;
  look.input.job = attempt_.job;
  look.input.authority = authority.name();
  look.input.found = find_checkpoints(folder_.path());
  look.answer = authority.inspect();
  refuse_moved(look.answer.moved_to);
  look.input.marker = look.answer.marker;
  look.from = decide(look.input, true, left_former);
  return look;
}

/// Fences older instances, and decides again where the authority's final answer is another one.
void Recovery::open(CommitAuthority& authority, Look& look, bool left_former) {
  const AuthorityAnswer opened = authority.open();
  if (const auto figures = authority.figures(); figures && restarts_.timed_out)
    spdlog::warn("the broker aborted a transaction after its time-out: it is {} from now on",
                 format_duration(figures->timeout));
  refuse_moved(opened.moved_to);
  look.input.marker = opened.marker;
  if (look.from.decision.action == RecoveryAction::kUndecided || opened != look.answer)
    look.from = decide(look.input, false, left_former);
  for (const std::string& w : look.from.decision.warnings) spdlog::warn("{}", w);
}

/// Decides what to restore, and refuses what the file cannot go on from.
StartingPoint Recovery::decide(RecoveryInput& input, bool looking, bool left_former) {
  StartingPoint from;
  from.wishes = wishes_of(setting_.options, setting_.graph, restarts_.runs, input);
  if (left_former) from.wishes = from.wishes.where_it_goes_on();
  input.options = from.wishes.recovery_options();
  input.options.looking = looking;
  from.decision = decide_recovery(input);
  if (from.wishes.begins_anew) from.decision.warnings = begins_anew_warnings(input.found);
  if (from.decision.action == RecoveryAction::kRefuse) throw *from.decision.refusal;
  record_.restored.reset();
  if (!from.decision.restore) {
    refuse_to_begin_anew(from.decision);
    return from;
  }
  from.restored = from.decision.restore->manifest;
  from.path = from.decision.restore->entry.path;
  record_.restored = from.restored->marker();
  verify_checkpoint(from.path, setting_.options.verify);
  if (!from.nothing_to_do()) check_goes_on(setting_.graph, from);
  return from;
}

/// A restart inside the process goes on from something, always.
void Recovery::refuse_to_begin_anew(const RecoveryDecision& decision) const {
  if (!restarts_.claimed || decision.action == RecoveryAction::kUndecided) return;
  throw Error(
      Blame::kRefused,
      fmt::format("the checkpoints were deleted while the job ran, and without them it would begin anew: --fresh does "
                  "that, --from begins at a copy; claimed before: {}, there now: none in {}",
                  restarts_.claimed->value, folder_.path().string()));
}

void Recovery::refuse_moved(const std::string& moved_to) const {
  if (moved_to.empty() || moved_to == attempt_.job) return;
  throw Error(Blame::kRefused,
              fmt::format("the job {} moved to {}: start that one, or give this file another name", attempt_.job, moved_to));
}

/// A job that goes on under another authority (its guarantee changed) claims a last marker where it comes from: whoever
/// still runs there is fenced, other copies of the folder are refused, and what was prepared there is judged there. Nothing
/// happens where nothing was committed by one; one that no connection of the file reaches is refused. True if it claimed.
bool Recovery::leave_former_authority(const std::string& own) {
  const JobOptions& options = setting_.options;
  if (options.allow_duplicates || options.take_over || options.copy) return false;
  const std::vector<FoundCheckpoint> found = find_checkpoints(folder_.path());
  const FoundCheckpoint* newest = newest_of(found);
  if (!newest || newest->manifest->authority == kLocalAuthority || newest->manifest->authority == own) return false;
  const std::unique_ptr<CommitAuthority> former = find_authority(setting_, attempt_, newest->manifest->authority);
  if (!former && (options.fresh || options.in_doubt)) return false;
  if (!former)
    throw Error(
        Blame::kRefused,
        fmt::format(
            "checkpoint {} was committed by {}, which no connection of the file reaches: an instance that still runs could "
            "not be fenced there, and what was committed since is not known; keep that connection in the file for one start "
            "(nothing has to use it), or start with --allow-duplicates if that cluster is gone; the checkpoint: {}",
            newest->manifest->id.value, newest->manifest->authority, newest->entry.path.string()));
  // Decided, opened and claimed as if the job went on there.
  Look there = look(*former, false);
  const auto goes_on = [&there] { return there.from.restored && !there.from.nothing_to_do(); };
  if (there.from.decision.action != RecoveryAction::kUndecided && !goes_on()) return false;
  open(*former, there, false);
  const bool claims = goes_on();
  if (claims) claim_as_restored(*former, there);
  former->close();
  return claims;
}

/// Writes and commits a checkpoint of this run that holds just what was restored.
void Recovery::claim_as_restored(CommitAuthority& former, Look& look) {
  StartingPoint& from = look.from;
  const Epoch epoch = folder_.next_epoch(look.input.marker, std::array{from.restored->id});
  rename_restored(from);
  Manifest m = *from.restored;
  m.parts = publish_restored_parts(setting_.graph, folder_, attempt_.job, from);
  m.id = epoch;
  m.run = attempt_.run;
  m.authority = former.name();
  m.at = setting_.clock().now();
  m.origin = from.restored->origin_of_claim();
  m.restored_from = from.restored->name();
  m.claim = true;
  m.last_marker = from.decision.last_marker;
  CheckpointWriter writer = folder_.begin(epoch);
  writer.add_all_of(from.path, *from.restored);
  commit_claim(former, writer, m);
  for (const Epoch e : from.decision.delete_prepared) folder_.delete_prepared(e);
  spdlog::info("the job leaves {}: claimed checkpoint {} there, the last one", m.authority, epoch.value);
}

/// Ends the job whose checkpoint is restored: from now on it is this one under another name.
void Recovery::take_over(CommitAuthority& authority, const StartingPoint& from, const std::filesystem::path& old) {
  const Manifest& restored = *from.restored;
  const auto cluster_in = [](const std::string& name) { return name.substr(0, name.rfind(' ')); };
  const auto& authority_at = setting_.options.authority_at;
  if (restored.authority == kLocalAuthority || cluster_in(restored.authority) == cluster_in(authority.name())) {
    authority.take_over(restored.job, restored.marker());
  } else if (const auto there = authority_at ? authority_at(attempt_, restored.authority) : nullptr) {
    there->take_over(restored.job, restored.marker());
  } else if (!from.wishes.allow_duplicates) {
    throw Error(
        Blame::kRefused,
        fmt::format(
            "the job {} commits with {}, which no connection of the file reaches, so it could not be ended there; keep that "
            "connection in the file for this start, or add --allow-duplicates if that cluster is gone",
            restored.job, restored.authority));
  }
  try {
    write_file_durably(old / "MOVED", attempt_.job + "\n");
  } catch (const Error& e) {
    spdlog::warn("the folder of {} does not learn that it moved: {}", restored.job, e.what());
  }
  spdlog::info("took over {}: it moved to {}", restored.job, attempt_.job);
}

/// A prepared checkpoint that counts becomes a committed one before anything is claimed from it.
void Recovery::rename_restored(StartingPoint& from) {
  if (!from.decision.rename_first) return;
  folder_.commit(from.restored->id);
  from.path = folder_.path_of(from.restored->id, CheckpointState::kCommitted);
}

Manifest Recovery::base_manifest(CommitAuthority& authority, const StartingPoint& from) const {
  const PipelineFile& file = setting_.file;
  Manifest m;
  m.run = attempt_.run;
  m.authority = authority.name();
  m.job = attempt_.job;
  m.weir_version = WEIR_VERSION;
  m.pipeline_hash = setting_.options.pipeline_hash;
  m.parallelism = file.parallelism ? static_cast<int>(*file.parallelism)
                  : from.restored  ? from.restored->parallelism
                                   : setting_.options.threads;
  m.last_marker = from.decision.last_marker;
  for (const Vertex& vertex : setting_.graph.vertices) {
    if (vertex.source) m.sources.push_back({vertex.name, vertex.source->type(), {}});
    if (vertex.kind == ComponentKind::kStep && !vertex.step->tables().empty()) {
      ManifestStep step{.name = vertex.name};
      const auto floor = attempt_.restored_watermarks.find(vertex.name);
      if (floor != attempt_.restored_watermarks.end()) step.watermark = floor->second;
      for (const TableDeclaration& t : vertex.step->tables()) step.tables.push_back({t.name, t.schema()});
      m.steps.push_back(std::move(step));
    }
    if (vertex.sink) m.sinks.push_back({vertex.name, vertex.type, vertex.sink->guarantee(), ""});
  }
  return m;
}

/// What the claim's manifest says: what was restored, and the positions that sources begin at.
Manifest Recovery::claim_manifest(const Claimed& claimed, const StartingPoint& from) const {
  Manifest m = claimed.base;
  m.id = claimed.epoch;
  m.at = setting_.clock().now();
  m.claim = true;
  m.dropped_steps = claimed.dropped_steps;  // the claim links the files as they were, with what is given up
  if (from.restored) {
    m.restored_from = from.restored->name();
    m.origin = from.restored->origin_of_claim();
    show_what_was_restored(m, from);
  }
  for (std::size_t i = 0; i < claimed.sources.size(); ++i)
    for (const SplitState& s : claimed.sources[i].splits)
      m.sources[i].splits.push_back({s, claimed.sources[i].enumerator->known_end(s)});
  for (ManifestSink& s : m.sinks)
    if (s.guarantee == "exactly_once" && s.type != "file") s.lane = claimed.authority->lane(claimed.epoch);
  return m;
}

/// Writes and commits the checkpoint that says: this run goes on from here.
Claimed Recovery::claim(std::unique_ptr<CommitAuthority> authority, const StartingPoint& from, Epoch epoch) {
  attempt_.first_epoch = epoch.next();
  attempt_.read_on = from.wishes.read_on;
  if (from.restored)  // a floor for this run, and for those that go on from its claim
    for (const ManifestStep& s : from.restored->steps)
      if (!from.is_dropped(s.name)) attempt_.restored_watermarks[s.name] = s.watermark;
  Claimed claimed{epoch, std::move(authority), {}, resolve_sources(setting_.graph, attempt_, from)};
  claimed.base = base_manifest(*claimed.authority, from);
  claimed.dropped_steps = from.dropped_steps();
  setting_.stop.looking = false;

  const std::vector<PendingPart> parts = publish_restored_parts(setting_.graph, folder_, attempt_.job, from);
  clean_up(from, parts);
  const Duration begun = setting_.clock().steady();
  Manifest m = claim_manifest(claimed, from);
  m.parts = parts;
  CheckpointWriter writer = folder_.begin(epoch);
  if (from.restored) {
    writer.add_all_of(from.path, *from.restored);
    claimed.has_state = std::any_of(from.restored->files.begin(), from.restored->files.end(),
                                    [](const ManifestFile& f) { return f.path.starts_with("state/"); });
  }
  m.duration_ms = (setting_.clock().steady() - begun).micros / 1000;
  commit_claim(*claimed.authority, writer, m);
  record_.claimed = epoch;
  crash_point("after-claim");
  claimed.authority->begin(attempt_.first_epoch);
  claimed.authority->begin(attempt_.first_epoch.next());
  for (const Epoch e : from.decision.delete_prepared) folder_.delete_prepared(e);
  folder_.expire(static_cast<int>(setting_.file.checkpoint.retain));
  tell_of_claim(attempt_.job, from, epoch, attempt_.run);
  return claimed;
}

/// What earlier runs left unfinished, also those of a job that was taken over, is deleted.
void Recovery::clean_up(const StartingPoint& from, const std::vector<PendingPart>& listed) const {
  const auto old = from.folder_taken_over(attempt_.job);
  for (const Vertex& vertex : setting_.graph.vertices) {
    if (!vertex.sink) continue;
    vertex.sink->clean_up(attempt_.job, attempt_.home, listed);
    if (old) vertex.sink->clean_up(from.restored->job, home_of(*old), listed);
  }
}

void Recovery::commit_claim(CommitAuthority& authority, CheckpointWriter& writer, const Manifest& claim) {
  authority.begin(claim.id);
  writer.prepare(claim);
  authority.commit(claim.id, attempt_.run);
  folder_.commit(claim.id);
}

}  // namespace weir
