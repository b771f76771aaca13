#include "runtime/job/restored_parts.h"

#include <spdlog/spdlog.h>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/checkpoint/coordinator.h"

namespace weir {

namespace {

/// Where a part file that a checkpoint of `job` lists lies in the folder of one of this file's sinks. A checkpoint may come
/// from anywhere: nothing else that it names is looked for, let alone renamed.
std::optional<PendingPart> find_part(const Graph& graph, const std::string& job, const PendingPart& listed) {
  for (const Vertex& vertex : graph.vertices)
    if (vertex.sink)
      if (auto found = vertex.sink->find_part(job, listed)) return found;
  return std::nullopt;
}

/// Parts of committed checkpoints of `job` that have their hidden names still.
std::vector<PendingPart> hidden_parts(const Graph& graph, const std::filesystem::path& folder, const std::string& job) {
  std::vector<PendingPart> parts;
  for (const FoundCheckpoint& c : find_checkpoints(folder)) {
    if (c.entry.state != CheckpointState::kCommitted || !c.manifest || c.manifest->job != job) continue;
    for (const PendingPart& listed : c.manifest->parts)
      if (const auto found = find_part(graph, job, listed); found && is_there(found->pending)) parts.push_back(*found);
  }
  return parts;
}

/// True if the checkpoint is another job's, which is not touched (--copy).
bool copies_another(const CheckpointFolder& folder, const StartingPoint& from) {
  std::error_code error;
  const auto parent = std::filesystem::absolute(from.path, error).lexically_normal().parent_path();
  return from.wishes.copy && !std::filesystem::equivalent(parent, folder.path(), error);
}

/// The part files that the restored checkpoint lists, and are there.
std::vector<PendingPart> listed_parts(const Graph& graph, const StartingPoint& from) {
  std::vector<PendingPart> parts;
  for (const PendingPart& listed : from.restored->parts) {
    const std::optional<PendingPart> found = find_part(graph, from.restored->job, listed);
    if (!found && is_there(listed.pending))
      throw Error(
          Blame::kRefused,
          fmt::format(
              "checkpoint {} lists a part file with committed rows that still has its hidden name, and no file sink of "
              "this file writes into its folder: give that sink its path back for one start, or rename or delete the part; "
              "{}, to be {}",
              from.restored->id.value, listed.pending, listed.final));
    if (found && (is_there(found->pending) || is_there(found->final))) parts.push_back(*found);
    else if (!from.nothing_to_do())
      spdlog::warn("a part file of the restored checkpoint is not there any more (its reader may have taken it): {}",
                   listed.final);
  }
  return parts;
}

}  // namespace

std::vector<PendingPart> publish_restored_parts(const Graph& graph, const CheckpointFolder& folder, const std::string& job,
                                                const StartingPoint& from) {
  std::vector<PendingPart> parts;
  if (from.restored && !copies_another(folder, from)) parts = listed_parts(graph, from);
  const auto add = [&](std::vector<PendingPart> hidden) {
    for (PendingPart& part : hidden)
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  };
  add(hidden_parts(graph, folder.path(), job));
  if (const auto old = from.folder_taken_over(job)) add(hidden_parts(graph, *old, from.restored->job));
  publish_parts(parts);
  return parts;
}

}  // namespace weir
