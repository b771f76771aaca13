#include "runtime/exec/watermark_alignment.h"

#include <set>

namespace weir {

int WatermarkAlignment::add(Waker wake) {
  members_.push_back({std::move(wake), Timestamp::none()});
  return static_cast<int>(members_.size()) - 1;
}

void WatermarkAlignment::set(int member, std::optional<Timestamp> position) {
  std::vector<Waker> free;
  {
    std::lock_guard lock(mutex_);
    Member& mine = members_[static_cast<std::size_t>(member)];
    if (mine.position == position) return;
    mine.position = position;
    const std::optional<Timestamp> limit = find_limit();
    for (Member& m : members_)
      if (m.waits && (!limit || *m.waits <= *limit)) m.waits.reset(), free.push_back(m.wake);
  }
  for (const Waker& wake : free) wake();
}

std::optional<Timestamp> WatermarkAlignment::limit() {
  std::lock_guard lock(mutex_);
  return find_limit();
}

bool WatermarkAlignment::wait(int member, Timestamp position) {
  std::lock_guard lock(mutex_);
  const std::optional<Timestamp> limit = find_limit();
  std::optional<Timestamp>& waits = members_[static_cast<std::size_t>(member)].waits;
  waits = limit && position > *limit ? std::optional(position) : std::nullopt;
  return waits.has_value();
}

std::optional<Timestamp> WatermarkAlignment::find_limit() const {
  std::optional<Timestamp> least;
  for (const Member& m : members_)
    if (m.position && (!least || *m.position < *least)) least = m.position;
  if (!least) return std::nullopt;
  std::int64_t limit;
  return Timestamp{__builtin_add_overflow(least->micros, max_drift_.micros, &limit) ? INT64_MAX : limit};
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
