#pragma once
#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace weir {

/// Vertices that run fused inside one task each: forward edges without another input are chained.
struct Chain {
  std::vector<int> vertices;  ///< the first has the task's input; each later one reads one before it, with nothing between
  int parallelism = 1;
};

/// The tasks that a graph becomes: chains, each as many times as its parallelism. Immutable.
struct Plan {
  std::vector<Chain> chains;
  std::vector<int> chain_of;  ///< by vertex

  int parallelism(int vertex) const {
    return chains[static_cast<std::size_t>(chain_of[static_cast<std::size_t>(vertex)])].parallelism;
  }
  /// True if the edge between two vertices stays inside a task.
  bool chained(int from, int to) const {
    return chain_of[static_cast<std::size_t>(from)] == chain_of[static_cast<std::size_t>(to)];
  }
  /// The name of a chain: its vertices' names, joined by ` → `.
  std::string name(const Graph& graph, int chain) const;
};

/// Decides parallelism and chains. A source has `parallelism` tasks, but at most one a split (`splits` by vertex; 0 for
/// other vertices and where the number is not known) and what its own key says; a step that only takes rows forward has its
/// inputs' parallelism; one behind a hash or rebalance exchange has `parallelism`.
Plan make_plan(const Graph& graph, int parallelism, const std::vector<int>& splits);

}  // namespace weir
