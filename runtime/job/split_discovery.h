#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/job/control.h"

namespace weir {

/// Appends to `known` those of `found` that are not there yet, each once, and returns them.
std::vector<SplitState> add_unknown(std::vector<SplitState>& known, std::vector<SplitState> found);

/// How long after a look the next one begins, `failures` in a row behind it: twice as long with each, up to a minute (or the
/// interval, where that is longer).
Duration next_wait(Duration interval, int failures);

/// Looks for new splits of one source while the job runs.
///
/// One look at a time: the next begins an interval after the last has come back, however long a cluster takes to answer.
/// Looks block, so they run on the pool; everything else is on the control thread. A look that fails is logged, and
/// tried again later and later. Must outlive the pool's work.
class SplitDiscovery {
 public:
  struct Source {
    std::string name;  ///< for the log
    SplitEnumerator& enumerator;
    std::vector<SplitState>& known;                           ///< what is found is added here
    std::function<void(const std::vector<SplitState>&)> add;  ///< gets what was never known before
  };
  SplitDiscovery(Source source, BlockingPool& pool, const ControlLoop::Lease& lease);
  /// From now on no look begins: one that waits for an answer would hold up the end of the job. Control thread.
  void stop() { stopped_ = true; }
  SplitDiscovery(const SplitDiscovery&) = delete;
  SplitDiscovery& operator=(const SplitDiscovery&) = delete;

 private:
  void arm();
  void look();
  /// Nothing: the look failed.
  void take(std::optional<std::vector<SplitState>> found);

  Source source_;
  BlockingPool& pool_;
  const ControlLoop::Lease& lease_;
  bool stopped_ = false;
  int failures_ = 0;  ///< in a row, since the last look that succeeded
};

}  // namespace weir
