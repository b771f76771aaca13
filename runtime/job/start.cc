#include <array>
#include <set>

#include <spdlog/spdlog.h>

#include "runtime/base/crash_point.h"
#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/job/attempt.h"
#include "runtime/state/row_count.h"

namespace weir {

namespace {

std::string describe(const Manifest& m) {
  std::uint64_t splits = 0;
  for (const ManifestSource& s : m.sources) splits += s.splits.size();
  return fmt::format("of {}, {} source{}, {} split{}", format_iso(m.at), m.sources.size(), m.sources.size() == 1 ? "" : "s",
                     splits, splits == 1 ? "" : "s");
}

/// The name in the file MOVED of a job's folder, or "".
std::string read_moved(const std::filesystem::path& folder) {
  if (!is_there(folder / "MOVED")) return {};
  std::string name = read_whole_file(folder / "MOVED", 4096);
  while (!name.empty() && (name.back() == '\n' || name.back() == ' ')) name.pop_back();
  return name;
}

}  // namespace

/// Looks at what is there and decides what to restore; throws a refusal before anything is touched.
void Attempt::recover() {
  refuse_moved(read_moved(folder_.path()));
  leave_former_authority();
  RecoveryInput input;
  input.job = context_.job;
  input.authority = authority_->name();
  input.found = find_checkpoints(folder_.path());

  const AuthorityAnswer looked = look(input);
  if (!nothing_to_do())
    for (const Vertex& vertex : graph_.vertices)
      if (vertex.sink) vertex.sink->look_up(context_);

  open_authority(input, looked);
  crash_point("after-init");
  if (!nothing_to_do()) tell_of_dropped_state();

  std::vector<Epoch> also;
  if (restored_) {
    also.push_back(restored_->id);
    if (options_.take_over && restored_->job != context_.job) take_over();
  }
  claimed_ = folder_.next_epoch(input.marker, also);
  context_.first_epoch = claimed_.next();
  rename_restored();
  if (restored_)  // a floor for this run, and for those that go on from its claim
    for (const ManifestStep& s : restored_->steps)
      if (!is_dropped(s.name)) context_.restored_watermarks[s.name] = s.watermark;
}

/// Decides by what the authority says when it is only looked at; nobody is fenced.
AuthorityAnswer Attempt::look(RecoveryInput& input) {
  AuthorityAnswer looked = authority_->inspect();
  refuse_moved(looked.moved_to);
  input.marker = looked.marker;
  decide(input, true);
  return looked;
}

/// Fences older instances, and decides again where the authority's final answer is another one.
void Attempt::open_authority(RecoveryInput& input, const AuthorityAnswer& looked) {
  const AuthorityAnswer opened = authority_->open();
  if (const auto figures = authority_->figures(); figures && restarts_.timed_out)
    spdlog::warn("the broker aborted a transaction after its time-out: it is {} from now on",
                 format_duration(figures->timeout));
  refuse_moved(opened.moved_to);
  input.marker = opened.marker;
  if (decision_.action == RecoveryAction::kUndecided || opened != looked) decide(input, false);
  for (const std::string& w : decision_.warnings) spdlog::warn("{}", w);
}

/// A prepared checkpoint that counts becomes a committed one before anything is claimed from it.
void Attempt::rename_restored() {
  if (!decision_.rename_first) return;
  folder_.commit(restored_->id);
  restored_path_ = folder_.path_of(restored_->id, CheckpointState::kCommitted);
}

/// A job that goes on under another authority (its guarantee changed) claims a last marker where it comes from: whoever
/// still runs there is fenced, other copies of the folder are refused, and what was prepared there is judged there. Nothing
/// happens where nothing was committed by one; one that no connection of the file reaches is refused.
void Attempt::leave_former_authority() {
  if (options_.allow_duplicates || options_.take_over || options_.copy) return;
  RecoveryInput input;
  input.job = context_.job;
  input.found = find_checkpoints(folder_.path());
  const FoundCheckpoint* newest = nullptr;
  for (const FoundCheckpoint& c : input.found)
    if (c.manifest && !(c.manifest->claim && c.entry.state == CheckpointState::kPrepared) &&
        (!newest || newest->entry.epoch < c.entry.epoch))
      newest = &c;
  if (!newest || newest->manifest->authority == kLocalAuthority || newest->manifest->authority == authority_->name()) return;
  std::unique_ptr<CommitAuthority> former = find_authority(newest->manifest->authority);
  if (!former && (options_.fresh || options_.in_doubt)) return;
  if (!former)
    throw Error(
        Blame::kRefused,
        fmt::format(
            "checkpoint {} was committed by {}, which no connection of the file reaches: an instance that still runs could "
            "not "
            "be fenced there, and what was committed since is not known; keep that connection in the file for one start "
            "(nothing has to use it), or start with --allow-duplicates if that cluster is gone; the checkpoint: {}",
            newest->manifest->id.value, newest->manifest->authority, newest->entry.path.string()));
  authority_.swap(former);  // decided, opened and claimed as if the job went on there
  input.authority = authority_->name();
  const AuthorityAnswer looked = look(input);
  if (decision_.action == RecoveryAction::kUndecided || (restored_ && !nothing_to_do())) {
    open_authority(input, looked);
    if (restored_ && !nothing_to_do()) claim_as_restored(input);
    authority_->close();
  }
  authority_.swap(former);
}

/// An authority of this job at the cluster that the named one commits to: a sink's, which knows its topics, or that of a
/// connection.
std::unique_ptr<CommitAuthority> Attempt::find_authority(const std::string& name) {
  for (const Vertex& v : graph_.vertices) {
    if (!v.sink) continue;
    auto found = v.sink->create_former_authority(context_);
    if (found && found->name() == name) return found;
  }
  return options_.authority_at ? options_.authority_at(context_, name) : nullptr;
}

/// Writes and commits a checkpoint of this run that holds just what was restored.
void Attempt::claim_as_restored(const RecoveryInput& input) {
  claimed_ = folder_.next_epoch(input.marker, std::array{restored_->id});
  rename_restored();
  Manifest m = *restored_;
  m.parts = publish_restored_parts();
  m.id = claimed_;
  m.run = context_.run;
  m.authority = authority_->name();
  m.at = clock_.now();
  m.origin = restored_->origin_of_claim();
  m.restored_from = restored_->name();
  m.claim = true;
  m.last_marker = decision_.last_marker;
  CheckpointWriter writer = folder_.begin(claimed_);
  writer.add_all_of(restored_path_, *restored_);
  commit_claim(writer, m);
  for (const Epoch e : decision_.delete_prepared) folder_.delete_prepared(e);
  left_former_ = true;
  spdlog::info("the job leaves {}: claimed checkpoint {} there, the last one", m.authority, claimed_.value);
}

/// Decides what to restore, and refuses what the file cannot go on from.
void Attempt::decide(RecoveryInput& input, bool looking) {
  take_options(input);
  input.options.looking = looking;
  decision_ = decide_recovery(input);
  if (input.options.fresh && !options_.fresh) decision_.warnings.clear();  // begin_anew() has said it in its own words
  if (decision_.action == RecoveryAction::kRefuse) throw *decision_.refusal;
  restored_.reset();
  if (!decision_.restore) return refuse_to_begin_anew();
  restored_ = decision_.restore->manifest;
  restored_path_ = decision_.restore->entry.path;
  verify_checkpoint(restored_path_, options_.verify);
  if (nothing_to_do()) return;
  check_sources();
  check_tables();
}

/// A restart inside the process goes on from something, always.
void Attempt::refuse_to_begin_anew() const {
  if (!restarts_.claimed || decision_.action == RecoveryAction::kUndecided) return;
  throw Error(
      Blame::kRefused,
      fmt::format("the checkpoints were deleted while the job ran, and without them it would begin anew: --fresh does "
                  "that, --from begins at a copy; claimed before: {}, there now: none in {}",
                  restarts_.claimed->value, folder_.path().string()));
}

/// True if an earlier attempt in this process claimed: its checkpoint, or a later one of its run, counts.
bool Attempt::options_were_obeyed(const RecoveryInput& input) const {
  const auto is_ours = [&](const RunId& run) {
    return std::find(restarts_.runs.begin(), restarts_.runs.end(), run) != restarts_.runs.end();
  };
  if (input.marker && is_ours(input.marker->run)) return true;
  return std::any_of(input.found.begin(), input.found.end(), [&](const FoundCheckpoint& c) {
    return c.entry.state == CheckpointState::kCommitted && c.manifest && is_ours(c.manifest->run);
  });
}

/// What the user said about where to start concerns the first claim of the process; a restart goes on from there.
void Attempt::take_options(RecoveryInput& input) {
  obeyed_ = options_were_obeyed(input);
  context_.read_on = (options_.read_on || has_new_input()) && !obeyed_;
  input.options = {};
  if (obeyed_ || left_former_) return;
  input.options.fresh = options_.fresh;
  if (reads_only_what_is_there_once() && !has_new_input() && !options_.fresh) begin_anew(input);
  if (options_.from) input.options.from = find_checkpoint(*options_.from);
  input.options.allow_duplicates = options_.allow_duplicates;
  input.options.in_doubt = options_.in_doubt;
  input.options.other_job = options_.copy || options_.take_over;
}

/// True if no source can be read again (stdin): what comes next is new input, never the rest of the old one.
bool Attempt::reads_only_what_is_there_once() const {
  bool any = false;
  for (const Vertex& v : graph_.vertices) {
    if (!v.source) continue;
    if (v.source->replayable()) return false;
    any = true;
  }
  return any;
}

/// True if the job was asked to go on from its state with input that is new altogether.
bool Attempt::has_new_input() const {
  return reads_only_what_is_there_once() && !obeyed_ && (options_.read_on || options_.from);
}

/// A job that has no input to go on with begins anew, and says so where it has a checkpoint.
void Attempt::begin_anew(RecoveryInput& input) {
  input.options.fresh = true;
  const auto newest = std::find_if(input.found.rbegin(), input.found.rend(),
                                   [](const FoundCheckpoint& c) { return c.manifest && !c.manifest->claim; });
  if (std::exchange(said_that_it_begins_anew_, true) || newest == input.found.rend()) return;
  spdlog::warn(
      "the job begins anew, without the state of checkpoint {}: its input cannot be read again (--continue goes on from "
      "that state with the "
      "new rows)",
      newest->manifest->id.value);
}

void Attempt::refuse_moved(const std::string& moved_to) const {
  if (moved_to.empty() || moved_to == context_.job) return;
  throw Error(Blame::kRefused,
              fmt::format("the job {} moved to {}: start that one, or give this file another name", context_.job, moved_to));
}

/// Ends the job whose checkpoint is restored: from now on it is this one under another name.
void Attempt::take_over() {
  const auto cluster_in = [](const std::string& authority) { return authority.substr(0, authority.rfind(' ')); };
  if (restored_->authority == kLocalAuthority || cluster_in(restored_->authority) == cluster_in(authority_->name())) {
    authority_->take_over(restored_->job, restored_->marker());
  } else if (const auto there = options_.authority_at ? options_.authority_at(context_, restored_->authority) : nullptr) {
    there->take_over(restored_->job, restored_->marker());
  } else if (!options_.allow_duplicates) {
    throw Error(
        Blame::kRefused,
        fmt::format(
            "the job {} commits with {}, which no connection of the file reaches, so it could not be ended there; keep that "
            "connection in the file for this start, or add --allow-duplicates if that cluster is gone",
            restored_->job, restored_->authority));
  }
  std::error_code error;
  const std::filesystem::path old = std::filesystem::absolute(restored_path_, error).parent_path();
  try {
    write_file_durably(old / "MOVED", context_.job + "\n");
  } catch (const Error& e) {
    spdlog::warn("the folder of {} does not learn that it moved: {}", restored_->job, e.what());
  }
  spdlog::info("took over {}: it moved to {}", restored_->job, context_.job);
}

bool Attempt::nothing_to_do() const { return restored_ && restored_->finished && !context_.read_on; }

/// Finds the splits of all sources, with numbers for where they begin and end.
void Attempt::resolve_splits() {
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const Vertex& vertex = graph_.vertices[v];
    if (!vertex.source) continue;
    const int id = static_cast<int>(v);
    auto& enumerator = enumerators_[id] = vertex.source->create_enumerator(context_);
    const ManifestSource* saved = saved_source(vertex.name);
    if (saved) restore_source(id, *saved);
    std::vector<SplitState>& known = splits_[id];
    // The ends of the first start stay, and so do its splits; unless the job reads on, or the end is new in the file.
    // A start that found no split has no ends either, so it is looked at again.
    const bool had_ends = saved && !saved->splits.empty() &&
                          std::all_of(saved->splits.begin(), saved->splits.end(),
                                      [](const ManifestSplit& s) { return s.state.end.has_value(); });
    if (had_ends && vertex.source->bounded() && !context_.read_on) continue;
    add_unknown(known, enumerator->discover(known));
  }
  if (context_.read_on && restored_ && restored_->finished) warn_of_windows();
}

/// What the checkpoint holds of a source; null when it is not in it, or given up by this start. The claim of a start that
/// gave it up holds where it began then.
const ManifestSource* Attempt::saved_source(const std::string& name) const {
  if (!restored_) return nullptr;
  const auto saved = std::find_if(restored_->sources.begin(), restored_->sources.end(),
                                  [&](const ManifestSource& s) { return s.name == name; });
  if (saved == restored_->sources.end())
    spdlog::info("source {}: not in checkpoint {}, begins where its start says", name, restored_->id.value);
  else if (has_new_input()) spdlog::info("source {}: goes on with new rows; what steps hold of those before stays", name);
  else if (gives_up(name))
    spdlog::warn(
        "source {}: its positions in checkpoint {} are given up (--drop-state): it begins where its start says; what steps "
        "hold of its "
        "rows stays",
        name, restored_->id.value);
  else return &*saved;
  return nullptr;
}

/// At the end of the input all windows closed; rows that are read on are compared with the watermark before that.
void Attempt::warn_of_windows() const {
  std::string names;
  for (const Vertex& v : graph_.vertices) {
    const bool has_windows =
        v.step && std::any_of(v.ports().begin(), v.ports().end(), [](const Port& p) { return p.name == "late"; });
    const bool was_there = std::any_of(restored_->steps.begin(), restored_->steps.end(),
                                       [&](const ManifestStep& s) { return s.name == v.name; });
    if (has_windows && was_there && !is_dropped(v.name)) names += (names.empty() ? "" : ", ") + v.name;
  }
  if (names.empty()) return;
  spdlog::warn(
      "--continue: what the end of the input closed opens again where rows follow: windows come out once more, with these "
      "rows alone, and "
      "a dedup with `within` knows no key from before; steps: {}",
      names);
}

void Attempt::restore_source(int v, const ManifestSource& saved) {
  const Vertex& vertex = graph_.vertices[static_cast<std::size_t>(v)];
  std::vector<SplitState> splits;
  for (const ManifestSplit& s : saved.splits) splits.push_back(s.state);
  splits_[v] = enumerators_[v]->restore(std::move(splits));
  std::string positions;
  for (std::size_t i = 0; i < splits_[v].size() && i < 8; ++i)
    positions += fmt::format("{}{} at {}{}", i ? ", " : "", splits_[v][i].label(), splits_[v][i].next,
                             splits_[v][i].ended ? " (ended)" : "");
  if (splits_[v].size() > 8) positions += fmt::format(", … ({} in all)", splits_[v].size());
  spdlog::info("source {}: {}", vertex.name, positions);
}

/// A split that is there twice was read twice: its rows came out twice before, and would again.
void Attempt::check_splits(const ManifestSource& saved) const {
  for (auto a = saved.splits.begin(); a != saved.splits.end(); ++a) {
    const auto b =
        std::find_if(a + 1, saved.splits.end(), [&](const ManifestSplit& s) { return s.state.same_split(a->state); });
    if (b == saved.splits.end()) continue;
    throw Error(
        Blame::kRefused,
        fmt::format("checkpoint {} holds {} of source {} twice: the version that wrote it read it twice, and its rows are "
                    "doubled in what followed; --from goes on from a checkpoint before that, --fresh begins anew; "
                    "positions: {} and {}",
                    restored_->id.value, a->state.label(), saved.name, a->state.next, b->state.next));
  }
}

/// Every source of the checkpoint must be there, and go on from a position; or be given up.
void Attempt::check_sources() const {
  for (const ManifestSource& saved : restored_->sources) {
    const auto found = std::find_if(graph_.vertices.begin(), graph_.vertices.end(),
                                    [&](const Vertex& v) { return v.source && v.name == saved.name; });
    if (found == graph_.vertices.end()) {
      if (!is_dropped(saved.name))
        throw Error(Blame::kRefused, fmt::format("checkpoint {} holds positions of source {}, which the file no longer has; "
                                                 "--drop-state {} gives them up",
                                                 restored_->id.value, saved.name, saved.name));
      spdlog::warn("source {}: its positions in checkpoint {} are given up (--drop-state)", saved.name, restored_->id.value);
      continue;
    }
    if (!found->source->replayable() && !gives_up(saved.name) && !has_new_input())
      throw Error(
          Blame::kRefused,
          fmt::format(
              "source {} ({}) cannot be read again from a position; --drop-state {} gives the position up and goes on "
              "with the state of the steps, --fresh starts without the checkpoint",
              found->name, found->type, found->name));
    if (saved.type != found->source->type() && !is_dropped(saved.name))
      throw Error(
          Blame::kRefused,
          fmt::format(
              "source {} was of type {} in checkpoint {} and is of type {} in the file; --drop-state {} starts it anew",
              found->name, saved.type, restored_->id.value, found->source->type(), found->name));
    if (!gives_up(saved.name)) check_splits(saved);
  }
}

/// Likewise every table of a step's state, with the schema that it has now.
void Attempt::check_tables() const {
  std::set<std::string> declared;
  const auto has_step = [&](const std::string& name) {
    return std::any_of(graph_.vertices.begin(), graph_.vertices.end(),
                       [&](const Vertex& v) { return v.step && v.name == name; });
  };
  for (const Vertex& v : graph_.vertices) {
    if (!v.step) continue;
    for (const TableDeclaration& t : v.step->tables()) declared.insert(v.name + "/" + t.name), check_table(v.name, t);
  }
  for (const ManifestStep& s : restored_->steps)
    for (const ManifestTable& t : s.tables)
      if (!is_dropped(s.name) && !declared.contains(s.name + "/" + t.name))
        throw Error(
            Blame::kRefused,
            fmt::format("checkpoint {} holds state of step {} (table {}), which {}; --drop-state {} gives it up",
                        restored_->id.value, s.name, t.name,
                        has_step(s.name) ? "is of another kind in the file and does not use it" : "the file no longer has",
                        s.name));
}

/// Opens the live database with the tables that the steps declare, beginning with what the checkpoint holds.
void Attempt::open_state() {
  crash_point("during-restore");
  StateStoreOptions options;
  for (const Vertex& v : graph_.vertices)
    if (v.step)
      for (const TableDeclaration& t : v.step->tables()) options.tables.push_back(v.name + "/" + t.name);
  if (options.tables.empty()) return;
  options.dropped_steps = dropped_steps();
  options.cache_bytes = context_.memory / 8;
  options.note = [](const std::string& text) { spdlog::warn("{}", text); };
  work_.path = folder_.work_folder(context_.run);
  const bool has_state = restored_ && std::any_of(restored_->files.begin(), restored_->files.end(),
                                                  [](const ManifestFile& f) { return f.path.starts_with("state/"); });
  store_ = has_state ? stores_.restore(work_.path, folder_.path_of(claimed_, CheckpointState::kCommitted) / "state", options)
                     : stores_.create(work_.path, options);
  context_.state = store_.get();
}

/// Says what --drop-state gives up, and which names it was given in vain.
void Attempt::tell_of_dropped_state() const {
  if (obeyed_) return;
  std::vector<std::string> names;
  if (!restored_) {
    for (const Vertex& v : graph_.vertices) names.push_back(v.name);
    for (const std::string& name : options_.drop_state)
      spdlog::warn("--drop-state {}: the job begins without a checkpoint, so there is no state to give up{}", name,
                   std::find(names.begin(), names.end(), name) != names.end()
                       ? std::string()
                       : fmt::format("; nor has the file a step or source of that name: {}", fmt::join(names, ", ")));
    return;
  }
  for (const ManifestSource& s : restored_->sources) names.push_back(s.name);
  for (const ManifestStep& s : restored_->steps) names.push_back(s.name);
  for (const std::string& name : options_.drop_state) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      spdlog::warn("--drop-state {}: checkpoint {} holds nothing of that name; it holds {}", name, restored_->id.value,
                   fmt::join(names, ", "));
    else if (std::any_of(restored_->steps.begin(), restored_->steps.end(),
                         [&](const ManifestStep& s) { return s.name == name; }))
      spdlog::warn("step {}: its state in checkpoint {} is given up (--drop-state)", name, restored_->id.value);
  }
}

/// Steps whose state is given up: by this start, or by the one whose claim is restored.
std::vector<std::string> Attempt::dropped_steps() const {
  std::vector<std::string> names = obeyed_ ? std::vector<std::string>() : options_.drop_state;
  if (restored_ && restored_->claim)
    names.insert(names.end(), restored_->dropped_steps.begin(), restored_->dropped_steps.end());
  return names;
}

/// True if this start, and no earlier one, gives up the state of that name.
bool Attempt::gives_up(const std::string& name) const {
  return !obeyed_ && std::find(options_.drop_state.begin(), options_.drop_state.end(), name) != options_.drop_state.end();
}

bool Attempt::is_dropped(const std::string& name) const {
  const std::vector<std::string> names = dropped_steps();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A table that the checkpoint holds with another schema cannot be read by the step as it is now.
void Attempt::check_table(const std::string& step, const TableDeclaration& declared) const {
  if (is_dropped(step)) return;
  for (const ManifestStep& s : restored_->steps) {
    if (s.name != step) continue;
    for (const ManifestTable& t : s.tables)
      if (t.name == declared.name && !same_schema(t.schema, declared.schema()))
        throw Error(
            Blame::kRefused,
            fmt::format("the state of step {} changed: table {} of checkpoint {} holds ({}), the file asks for ({}); "
                        "--drop-state {} starts it anew",
                        step, t.name, restored_->id.value, t.schema, declared.schema(), step));
  }
}

int Attempt::parallelism() const {
  if (file_.parallelism) return static_cast<int>(*file_.parallelism);
  return restored_ ? restored_->parallelism : options_.threads;
}

Manifest Attempt::base_manifest() const {
  Manifest m;
  m.run = context_.run;
  m.authority = authority_->name();
  m.job = context_.job;
  m.weir_version = WEIR_VERSION;
  m.pipeline_hash = options_.pipeline_hash;
  m.parallelism = parallelism();
  m.last_marker = decision_.last_marker;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const Vertex& vertex = graph_.vertices[v];
    if (vertex.source) m.sources.push_back({vertex.name, vertex.source->type(), {}});
    if (vertex.kind == ComponentKind::kStep && !vertex.step->tables().empty()) {
      ManifestStep step{.name = vertex.name};
      const auto floor = context_.restored_watermarks.find(vertex.name);
      if (floor != context_.restored_watermarks.end()) step.watermark = floor->second;
      for (const TableDeclaration& t : vertex.step->tables()) step.tables.push_back({t.name, t.schema()});
      m.steps.push_back(std::move(step));
    }
    if (vertex.sink) m.sinks.push_back({vertex.name, vertex.type, vertex.sink->guarantee(), ""});
  }
  return m;
}

/// Step by step: what its tables hold, and its watermark.
void Attempt::tell_of_restored_state() const {
  for (const ManifestStep& s : restored_->steps) {
    if (is_dropped(s.name) || s.tables.empty()) continue;
    std::string text;
    for (const ManifestTable& t : s.tables)
      text += fmt::format("{}{} {}{} rows", text.empty() ? "" : ", ", t.name, t.rows > kCountedRows ? "~" : "", t.rows);
    if (s.watermark != Timestamp::none() && s.watermark != Timestamp::infinity())
      text += ", watermark " + format_iso(s.watermark);
    spdlog::info("step {}: {}", s.name, text);
  }
}

/// A claim holds the state as it was restored: its tables' sizes and the sources' watermarks are those of then.
void Attempt::show_what_was_restored(Manifest& claim) const {
  for (ManifestStep& step : claim.steps)
    for (ManifestTable& table : step.tables)
      for (const ManifestStep& s : restored_->steps)
        for (const ManifestTable& t : s.tables)
          if (!is_dropped(s.name) && s.name == step.name && t.name == table.name) table.rows = t.rows, table.bytes = t.bytes;
  for (ManifestSource& source : claim.sources)
    for (const ManifestSource& s : restored_->sources)
      if (s.name == source.name && !(context_.read_on && s.watermark == Timestamp::infinity()))
        source.watermark = s.watermark;
}

void Attempt::commit_claim(CheckpointWriter& writer, const Manifest& claim) {
  authority_->begin(claimed_);
  writer.prepare(claim);
  authority_->commit(claimed_, context_.run);
  folder_.commit(claimed_);
}

/// True if the checkpoint is another job's, which is not touched (--copy).
bool Attempt::copies_another() const {
  std::error_code error;
  const auto from = std::filesystem::absolute(restored_path_, error).lexically_normal().parent_path();
  return options_.copy && !obeyed_ && !std::filesystem::equivalent(from, folder_.path(), error);
}

/// Where a part file that a checkpoint of `job` lists lies in the folder of one of this file's sinks. A checkpoint may come
/// from anywhere: nothing else that it names is looked for, let alone renamed.
std::optional<PendingPart> Attempt::find_part(const std::string& job, const PendingPart& listed) const {
  for (const Vertex& vertex : graph_.vertices)
    if (vertex.sink)
      if (auto found = vertex.sink->find_part(job, listed)) return found;
  return std::nullopt;
}

/// Parts of committed checkpoints of this job that are hidden still, whatever it goes on from: their rows count.
std::vector<PendingPart> Attempt::hidden_parts() const {
  std::vector<PendingPart> parts;
  for (const FoundCheckpoint& c : find_checkpoints(folder_.path())) {
    if (c.entry.state != CheckpointState::kCommitted || !c.manifest || c.manifest->job != context_.job) continue;
    for (const PendingPart& listed : c.manifest->parts)
      if (const auto found = find_part(context_.job, listed); found && is_there(found->pending)) parts.push_back(*found);
  }
  return parts;
}

/// The part files that the restored checkpoint lists, and are there.
std::vector<PendingPart> Attempt::restored_parts() const {
  std::vector<PendingPart> parts;
  if (!restored_ || copies_another()) return parts;
  for (const PendingPart& listed : restored_->parts) {
    const std::optional<PendingPart> found = find_part(restored_->job, listed);
    if (!found && is_there(listed.pending))
      throw Error(
          Blame::kRefused,
          fmt::format(
              "checkpoint {} lists a part file with committed rows that still has its hidden name, and no file sink of "
              "this file writes into its folder: give that sink its path back for one start, or rename or delete the part; "
              "{}, to be {}",
              restored_->id.value, listed.pending, listed.final));
    if (found && (is_there(found->pending) || is_there(found->final))) parts.push_back(*found);
    else if (!nothing_to_do())
      spdlog::warn("a part file of the restored checkpoint is not there any more (its reader may have taken it): {}",
                   listed.final);
  }
  return parts;
}

/// Gives the part files of the restored checkpoint, and of all that are committed, their final names; returns those that are
/// there.
std::vector<PendingPart> Attempt::publish_restored_parts() const {
  std::vector<PendingPart> listed = restored_parts();
  for (PendingPart& part : hidden_parts())
    if (std::find(listed.begin(), listed.end(), part) == listed.end()) listed.push_back(std::move(part));
  publish_parts(listed);
  return listed;
}

/// Writes and commits the checkpoint that says: this run goes on from here. From now on no other run's rows can count.
void Attempt::claim() {
  const std::vector<PendingPart> listed = publish_restored_parts();
  for (const Vertex& vertex : graph_.vertices)
    if (vertex.sink) vertex.sink->clean_up(context_, listed);

  const Duration begun = clock_.steady();
  Manifest m = base_manifest();
  m.id = claimed_;
  m.at = clock_.now();
  m.claim = true;
  m.dropped_steps = dropped_steps();  // the claim links the files as they were, with what is given up
  m.parts = listed;
  if (restored_) {
    m.restored_from = restored_->name();
    m.origin = restored_->origin_of_claim();
    show_what_was_restored(m);
  }
  std::size_t source = 0;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    if (!graph_.vertices[v].source) continue;
    for (const SplitState& s : splits_[static_cast<int>(v)])
      m.sources[source].splits.push_back({s, enumerators_.at(static_cast<int>(v))->known_end(s)});
    ++source;
  }
  CheckpointWriter writer = folder_.begin(claimed_);
  if (restored_) writer.add_all_of(restored_path_, *restored_);
  m.duration_ms = (clock_.steady() - begun).micros / 1000;
  for (ManifestSink& s : m.sinks)
    if (s.guarantee == "exactly_once" && s.type != "file") s.lane = authority_->lane(claimed_);
  commit_claim(writer, m);
  is_claimed_ = true;
  crash_point("after-claim");
  authority_->begin(context_.first_epoch);
  authority_->begin(context_.first_epoch.next());
  for (const Epoch e : decision_.delete_prepared) folder_.delete_prepared(e);
  folder_.expire(static_cast<int>(file_.checkpoint.retain));
  if (restored_) tell_of_restored_state();
  if (restored_)
    spdlog::info("restored checkpoint {} ({}); claimed checkpoint {} as run {}", restored_->id.value, describe(*restored_),
                 claimed_.value, context_.run.value);
  else spdlog::info("new job {}: claimed checkpoint {} as run {}", context_.job, claimed_.value, context_.run.value);
}

}  // namespace weir
