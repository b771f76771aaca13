#include "runtime/exec/watermark_alignment.h"

#include <set>

namespace weir {

int WatermarkAlignment::add(Waker wake) {
  members_.push_back({std::move(wake), Timestamp::none()});
  return static_cast<int>(members_.size()) - 1;
}

void WatermarkAlignment::set(int member, std::optional<Timestamp> watermark) {
  std::vector<Waker> free;
  {
    std::lock_guard lock(mutex_);
    Member& mine = members_[static_cast<std::size_t>(member)];
    if (mine.watermark == watermark) return;
    mine.watermark = watermark;
    const std::optional<Timestamp> latest = limit();
    for (Member& m : members_)
      if (m.held && may_read(m, latest)) m.held = false, free.push_back(m.wake);
  }
  for (const Waker& wake : free) wake();
}

bool WatermarkAlignment::too_far_ahead(int member) {
  std::lock_guard lock(mutex_);
  Member& mine = members_[static_cast<std::size_t>(member)];
  mine.held = !may_read(mine, limit());
  return mine.held;
}

/// The watermark up to which tasks may read; nothing where none counts.
std::optional<Timestamp> WatermarkAlignment::limit() const {
  std::optional<Timestamp> least;
  for (const Member& m : members_)
    if (m.watermark && (!least || *m.watermark < *least)) least = m.watermark;
  if (!least) return std::nullopt;
  std::int64_t limit;
  return Timestamp{__builtin_add_overflow(least->micros, max_drift_.micros, &limit) ? INT64_MAX : limit};
}

bool WatermarkAlignment::may_read(const Member& member, const std::optional<Timestamp>& limit) {
  return !limit || !member.watermark || *member.watermark <= *limit;
}

std::vector<std::vector<int>> sources_that_meet(const Graph& graph) {
  std::set<std::vector<int>> found;
  std::vector<std::set<int>> upstream(graph.vertices.size());
  for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    if (vertex.event_time) upstream[v].insert(static_cast<int>(v));
    for (const Vertex::Input& in : vertex.inputs) upstream[v].merge(std::set(upstream[static_cast<std::size_t>(in.vertex)]));
    if (vertex.kind == ComponentKind::kStep && vertex.inputs.size() > 1 && upstream[v].size() > 1)
      found.emplace(upstream[v].begin(), upstream[v].end());
  }
  return {found.begin(), found.end()};
}

}  // namespace weir
