#include "runtime/job/starting_point.h"

#include <set>

#include <spdlog/spdlog.h>

#include "runtime/base/error.h"

namespace weir {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// True if an earlier attempt in this process claimed: its checkpoint, or a later one of its run, counts.
bool one_of_them_claimed(const std::vector<RunId>& runs, const RecoveryInput& input) {
  const auto is_ours = [&](const RunId& run) { return std::find(runs.begin(), runs.end(), run) != runs.end(); };
  if (input.marker && is_ours(input.marker->run)) return true;
  return std::any_of(input.found.begin(), input.found.end(), [&](const FoundCheckpoint& c) {
    return c.entry.state == CheckpointState::kCommitted && c.manifest && is_ours(c.manifest->run);
  });
}

/// True if no source can be read again (stdin): what comes next is new input, never the rest of the old one.
bool reads_only_what_is_there_once(const Graph& graph) {
  bool any = false;
  for (const Vertex& v : graph.vertices) {
    if (!v.source) continue;
    if (v.source->replayable()) return false;
    any = true;
  }
  return any;
}

/// A split that is there twice was read twice: its rows came out twice before, and would again.
void check_splits(const Manifest& restored, const ManifestSource& saved) {
  for (auto a = saved.splits.begin(); a != saved.splits.end(); ++a) {
    const auto b =
        std::find_if(a + 1, saved.splits.end(), [&](const ManifestSplit& s) { return s.state.same_split(a->state); });
    if (b == saved.splits.end()) continue;
    throw Error(
        Blame::kRefused,
        fmt::format("checkpoint {} holds {} of source {} twice: the version that wrote it read it twice, and its rows are "
                    "doubled in what followed; --from goes on from a checkpoint before that, --fresh begins anew; "
                    "positions: {} and {}",
                    restored.id.value, a->state.label(), saved.name, a->state.next, b->state.next));
  }
}

/// A source of the checkpoint must be there, and go on from a position; or be given up.
void check_source(const Graph& graph, const StartingPoint& from, const ManifestSource& saved) {
  const std::uint64_t checkpoint = from.restored->id.value;
  const auto found = std::find_if(graph.vertices.begin(), graph.vertices.end(),
                                  [&](const Vertex& v) { return v.source && v.name == saved.name; });
  if (found == graph.vertices.end()) {
    if (!from.is_dropped(saved.name))
      throw Error(Blame::kRefused, fmt::format("checkpoint {} holds positions of source {}, which the file no longer has; "
                                               "--drop-state {} gives them up",
                                               checkpoint, saved.name, saved.name));
    spdlog::warn("source {}: its positions in checkpoint {} are given up (--drop-state)", saved.name, checkpoint);
    return;
  }
  if (!found->source->replayable() && !from.gives_up(saved.name) && !from.wishes.new_input)
    throw Error(
        Blame::kRefused,
        fmt::format("source {} ({}) cannot be read again from a position; --drop-state {} gives the position up and goes on "
                    "with the state of the steps, --fresh starts without the checkpoint",
                    found->name, found->type, found->name));
  if (saved.type != found->source->type() && !from.is_dropped(saved.name))
    throw Error(
        Blame::kRefused,
        fmt::format(
            "source {} was of type {} in checkpoint {} and is of type {} in the file; --drop-state {} starts it anew",
            found->name, saved.type, checkpoint, found->source->type(), found->name));
  if (!from.gives_up(saved.name)) check_splits(*from.restored, saved);
}

/// A table that the checkpoint holds with another schema cannot be read by the step as it is now.
void check_table(const StartingPoint& from, const std::string& step, const TableDeclaration& declared) {
  if (from.is_dropped(step)) return;
  for (const ManifestStep& s : from.restored->steps) {
    if (s.name != step) continue;
    for (const ManifestTable& t : s.tables)
      if (t.name == declared.name && !same_schema(t.schema, declared.schema()))
        throw Error(
            Blame::kRefused,
            fmt::format("the state of step {} changed: table {} of checkpoint {} holds ({}), the file asks for ({}); "
                        "--drop-state {} starts it anew",
                        step, t.name, from.restored->id.value, t.schema, declared.schema(), step));
  }
}

void check_tables(const Graph& graph, const StartingPoint& from) {
  std::set<std::string> declared;
  const auto has_step = [&](const std::string& name) {
    return std::any_of(graph.vertices.begin(), graph.vertices.end(),
                       [&](const Vertex& v) { return v.step && v.name == name; });
  };
  for (const Vertex& v : graph.vertices) {
    if (!v.step) continue;
    for (const TableDeclaration& t : v.step->tables()) declared.insert(v.name + "/" + t.name), check_table(from, v.name, t);
  }
  for (const ManifestStep& s : from.restored->steps)
    for (const ManifestTable& t : s.tables)
      if (!from.is_dropped(s.name) && !declared.contains(s.name + "/" + t.name))
        throw Error(
            Blame::kRefused,
            fmt::format("checkpoint {} holds state of step {} (table {}), which {}; --drop-state {} gives it up",
                        from.restored->id.value, s.name, t.name,
                        has_step(s.name) ? "is of another kind in the file and does not use it" : "the file no longer has",
                        s.name));
}

}  // namespace

StartWishes StartWishes::where_it_goes_on() const {
  StartWishes left = *this;
  left.from.reset(), left.in_doubt.reset();
  left.fresh = left.begins_anew = left.allow_duplicates = left.take_over = false;
  return left;
}

RecoveryOptions StartWishes::recovery_options() const {
  RecoveryOptions options;
  options.fresh = fresh || begins_anew;
  if (from) options.from = find_checkpoint(*from);
  options.allow_duplicates = allow_duplicates;
  options.in_doubt = in_doubt;
  options.other_job = copy || take_over;
  return options;
}

StartWishes wishes_of(const JobOptions& options, const Graph& graph, const std::vector<RunId>& runs,
                      const RecoveryInput& found) {
  StartWishes wishes;
  if (one_of_them_claimed(runs, found)) return wishes;
  const bool once = reads_only_what_is_there_once(graph);
  wishes.from = options.from;
  wishes.fresh = options.fresh;
  wishes.new_input = once && (options.read_on || options.from);
  wishes.begins_anew = once && !wishes.new_input && !options.fresh;
  wishes.read_on = options.read_on || wishes.new_input;
  wishes.allow_duplicates = options.allow_duplicates;
  wishes.copy = options.copy, wishes.take_over = options.take_over;
  wishes.in_doubt = options.in_doubt;
  wishes.drop_state = options.drop_state;
  return wishes;
}

std::vector<std::string> StartingPoint::dropped_steps() const {
  std::vector<std::string> names = wishes.drop_state;
  if (restored && restored->claim) names.insert(names.end(), restored->dropped_steps.begin(), restored->dropped_steps.end());
  return names;
}

bool StartingPoint::is_dropped(const std::string& name) const { return contains(dropped_steps(), name); }

bool StartingPoint::gives_up(const std::string& name) const { return contains(wishes.drop_state, name); }

std::optional<std::filesystem::path> StartingPoint::folder_taken_over(const std::string& job) const {
  if (!wishes.take_over || !restored || restored->job == job) return std::nullopt;
  std::error_code error;
  return std::filesystem::absolute(path, error).parent_path();
}

void check_goes_on(const Graph& graph, const StartingPoint& from) {
  for (const ManifestSource& saved : from.restored->sources) check_source(graph, from, saved);
  check_tables(graph, from);
}

}  // namespace weir
