#include "runtime/job/start_report.h"

#include <spdlog/spdlog.h>

#include "runtime/state/row_count.h"

namespace weir {

namespace {

std::string describe(const Manifest& m) {
  std::uint64_t splits = 0;
  for (const ManifestSource& s : m.sources) splits += s.splits.size();
  return fmt::format("of {}, {} source{}, {} split{}", format_iso(m.at), m.sources.size(), m.sources.size() == 1 ? "" : "s",
                     splits, splits == 1 ? "" : "s");
}

/// What its tables hold, and its watermark.
std::string describe(const ManifestStep& step) {
  std::string text;
  for (const ManifestTable& t : step.tables)
    text += fmt::format("{}{} {}{} rows", text.empty() ? "" : ", ", t.name, t.rows > kCountedRows ? "~" : "", t.rows);
  if (step.watermark != Timestamp::none() && step.watermark != Timestamp::infinity())
    text += ", watermark " + format_iso(step.watermark);
  return text;
}

void tell_of_names_in_vain(const Graph& graph, const std::vector<std::string>& dropped) {
  std::vector<std::string> names;
  for (const Vertex& v : graph.vertices) names.push_back(v.name);
  for (const std::string& name : dropped)
    spdlog::warn("--drop-state {}: the job begins without a checkpoint, so there is no state to give up{}", name,
                 std::find(names.begin(), names.end(), name) != names.end()
                     ? std::string()
                     : fmt::format("; nor has the file a step or source of that name: {}", fmt::join(names, ", ")));
}

}  // namespace

void tell_of_dropped_state(const Graph& graph, const StartingPoint& from) {
  const std::vector<std::string>& dropped = from.wishes.drop_state;
  if (!from.restored) return tell_of_names_in_vain(graph, dropped);
  const Manifest& restored = *from.restored;
  std::vector<std::string> names;
  for (const ManifestSource& s : restored.sources) names.push_back(s.name);
  for (const ManifestStep& s : restored.steps) names.push_back(s.name);
  for (const std::string& name : dropped) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      spdlog::warn("--drop-state {}: checkpoint {} holds nothing of that name; it holds {}", name, restored.id.value,
                   fmt::join(names, ", "));
    else if (from.nothing_to_do())
      spdlog::warn("--drop-state {}: the job is finished, so nothing is given up; with --continue it is", name);
    else if (std::any_of(restored.steps.begin(), restored.steps.end(),
                         [&](const ManifestStep& s) { return s.name == name; }))
      spdlog::warn("step {}: its state in checkpoint {} is given up (--drop-state)", name, restored.id.value);
  }
}

void tell_of_claim(const std::string& job, const StartingPoint& from, Epoch claimed, const RunId& run) {
  if (!from.restored) return spdlog::info("new job {}: claimed checkpoint {} as run {}", job, claimed.value, run.value);
  for (const ManifestStep& s : from.restored->steps)
    if (!from.is_dropped(s.name) && !s.tables.empty()) spdlog::info("step {}: {}", s.name, describe(s));
  spdlog::info("restored checkpoint {} ({}); claimed checkpoint {} as run {}", from.restored->id.value,
               describe(*from.restored), claimed.value, run.value);
}

void tell_of_nothing_to_do(const Graph& graph, const Manifest& finished) {
  const bool replayable = std::all_of(graph.vertices.begin(), graph.vertices.end(),
                                      [](const Vertex& v) { return !v.source || v.source->replayable(); });
  spdlog::info("nothing to do: finished at {} with checkpoint {} ({})", format_iso(finished.at), finished.id.value,
               replayable ? "--continue reads on" : "--fresh begins anew");
}

}  // namespace weir
