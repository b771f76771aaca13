#pragma once
#include <memory>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/job/starting_point.h"

namespace weir {

/// A source of the graph with the splits that it goes on from.
struct ResolvedSource {
  int vertex;
  std::unique_ptr<SplitEnumerator> enumerator;
  std::vector<SplitState> splits;  ///< with numbers for where they begin and end
};

/// Finds the splits of all sources: those of the restored checkpoint, checked against what is there, and new ones. Blocks.
std::vector<ResolvedSource> resolve_sources(const Graph& graph, AttemptContext& attempt, const StartingPoint& from);

}  // namespace weir
