#include "runtime/job/live_state.h"

#include <spdlog/spdlog.h>

#include "runtime/base/crash_point.h"

namespace weir {

LiveState::LiveState(const JobSetting& setting, const CheckpointFolder& folder, const Claimed& claimed,
                     AttemptContext& attempt)
    : folder_{folder.work_folder(attempt.run)} {
  crash_point("during-restore");
  StateStoreOptions options;
  for (const Vertex& v : setting.graph.vertices)
    if (v.step)
      for (const TableDeclaration& t : v.step->tables()) options.tables.push_back(v.name + "/" + t.name);
  if (options.tables.empty()) return;
  options.dropped_steps = claimed.dropped_steps;
  options.cache_bytes = attempt.memory / 8;
  options.note = attempt.note;
  const auto saved = folder.path_of(claimed.epoch, CheckpointState::kCommitted) / "state";
  store_ = claimed.has_state ? setting.stores.restore(folder_.path, saved, options)
                             : setting.stores.create(folder_.path, options);
  attempt.state = store_.get();
}

LiveState::Folder::~Folder() {
  std::error_code ignored;  // what is left is deleted at the next start
  std::filesystem::remove_all(path, ignored);
}

}  // namespace weir
