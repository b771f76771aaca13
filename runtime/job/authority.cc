#include "runtime/job/authority.h"

namespace weir {

std::unique_ptr<CommitAuthority> make_authority(const Graph& graph, AttemptContext& attempt) {
  for (const Vertex& v : graph.vertices)
    if (v.sink) v.sink->join_authority(attempt);
  for (const Vertex& v : graph.vertices)
    if (v.sink)
      if (auto authority = v.sink->create_authority(attempt)) return authority;
  return std::make_unique<LocalAuthority>();
}

std::unique_ptr<CommitAuthority> find_authority(const JobSetting& setting, AttemptContext& attempt,
                                                const std::string& name) {
  for (const Vertex& v : setting.graph.vertices) {
    if (!v.sink) continue;
    auto found = v.sink->create_former_authority(attempt);
    if (found && found->name() == name) return found;
  }
  return setting.options.authority_at ? setting.options.authority_at(attempt, name) : nullptr;
}

}  // namespace weir
