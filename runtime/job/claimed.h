#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/api/commit_authority.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/job/resolve_sources.h"

namespace weir {

/// What a start has claimed: all that an attempt needs to run from there.
struct Claimed {
  Epoch epoch;                                 ///< the claim's number; the next is that of the first rows
  std::unique_ptr<CommitAuthority> authority;  ///< opened: other instances are fenced
  Manifest base;                               ///< what all manifests of the run share
  std::vector<ResolvedSource> sources;         ///< in the order of their vertices
  bool has_state = false;                      ///< the claim holds a state to begin with,
  std::vector<std::string> dropped_steps{};    ///< but for these steps
};

}  // namespace weir
