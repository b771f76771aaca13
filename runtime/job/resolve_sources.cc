#include "runtime/job/resolve_sources.h"

#include <spdlog/spdlog.h>

#include "runtime/job/split_discovery.h"

namespace weir {

namespace {

/// What the checkpoint holds of a source; null when it is not in it, or given up by this start. The claim of a start that
/// gave it up holds where it began then.
const ManifestSource* saved_source(const StartingPoint& from, const std::string& name) {
  if (!from.restored) return nullptr;
  const Manifest& restored = *from.restored;
  const auto saved = std::find_if(restored.sources.begin(), restored.sources.end(),
                                  [&](const ManifestSource& s) { return s.name == name; });
  if (saved == restored.sources.end())
    spdlog::info("source {}: not in checkpoint {}, begins where its start says", name, restored.id.value);
  else if (from.wishes.new_input)
    spdlog::info("source {}: goes on with new rows; what steps hold of those before stays", name);
  else if (from.gives_up(name))
    spdlog::warn(
        "source {}: its positions in checkpoint {} are given up (--drop-state): it begins where its start says; what steps "
        "hold of its rows stays",
        name, restored.id.value);
  else return &*saved;
  return nullptr;
}

void restore(ResolvedSource& source, const std::string& name, const ManifestSource& saved) {
  std::vector<SplitState> splits;
  for (const ManifestSplit& s : saved.splits) splits.push_back(s.state);
  source.splits = source.enumerator->restore(std::move(splits));
  std::string positions;
  for (std::size_t i = 0; i < source.splits.size() && i < 8; ++i)
    positions += fmt::format("{}{} at {}{}", i ? ", " : "", source.splits[i].label(), source.splits[i].next,
                             source.splits[i].ended ? " (ended)" : "");
  if (source.splits.size() > 8) positions += fmt::format(", … ({} in all)", source.splits.size());
  spdlog::info("source {}: {}", name, positions);
}

/// At the end of the input all windows closed; rows that are read on are compared with the watermark before that.
void warn_of_windows(const Graph& graph, const StartingPoint& from) {
  std::string names;
  for (const Vertex& v : graph.vertices) {
    const bool has_windows =
        v.step && std::any_of(v.ports().begin(), v.ports().end(), [](const Port& p) { return p.name == "late"; });
    const bool was_there = std::any_of(from.restored->steps.begin(), from.restored->steps.end(),
                                       [&](const ManifestStep& s) { return s.name == v.name; });
    if (has_windows && was_there && !from.is_dropped(v.name)) names += (names.empty() ? "" : ", ") + v.name;
  }
  if (names.empty()) return;
  spdlog::warn(
      "--continue: what the end of the input closed opens again where rows follow: windows come out once more, with these "
      "rows alone, and a dedup with `within` knows no key from before; steps: {}",
      names);
}

}  // namespace

std::vector<ResolvedSource> resolve_sources(const Graph& graph, AttemptContext& attempt, const StartingPoint& from) {
  std::vector<ResolvedSource> sources;
  for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    if (!vertex.source) continue;
    ResolvedSource& source = sources.emplace_back(static_cast<int>(v), vertex.source->create_enumerator(attempt));
    const ManifestSource* saved = saved_source(from, vertex.name);
    if (saved) restore(source, vertex.name, *saved);
    // The ends of the first start stay, and so do its splits; unless the job reads on, or the end is new in the file.
    // A start that found no split has no ends either, so it is looked at again.
    const bool had_ends = saved && !saved->splits.empty() &&
                          std::all_of(saved->splits.begin(), saved->splits.end(),
                                      [](const ManifestSplit& s) { return s.state.end.has_value(); });
    if (had_ends && vertex.source->bounded() && !from.wishes.read_on) continue;
    add_unknown(source.splits, source.enumerator->discover(source.splits));
  }
  if (from.wishes.read_on && from.restored && from.restored->finished) warn_of_windows(graph, from);
  return sources;
}

}  // namespace weir
