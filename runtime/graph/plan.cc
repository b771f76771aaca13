#include "runtime/graph/plan.h"

namespace weir {

std::string Plan::name(const Graph& graph, int chain) const {
  std::string all;
  for (const int v : chains[static_cast<std::size_t>(chain)].vertices)
    all += (all.empty() ? "" : " → ") + graph.vertices[static_cast<std::size_t>(v)].name;
  return all;
}

namespace {

int parallelism_of(const Graph& graph, const Plan& plan, int v, int parallelism, int splits) {
  const Vertex& vertex = graph.vertices[static_cast<std::size_t>(v)];
  if (vertex.source) {
    int p = parallelism;
    if (vertex.component && vertex.component->config.has("parallelism"))
      p = static_cast<int>(vertex.component->config.integer("parallelism"));
    return std::max(1, splits > 0 ? std::min(p, splits) : p);
  }
  int p = 1;
  for (std::size_t i = 0; i < vertex.inputs.size(); ++i) {
    if (vertex.step->exchange(static_cast<int>(i)).kind != Exchange::Kind::kForward) return parallelism;
    p = std::max(p, plan.parallelism(vertex.inputs[i].vertex));
  }
  return p;
}

}  // namespace

Plan make_plan(const Graph& graph, int parallelism, const std::vector<int>& splits) {
  Plan plan;
  plan.chain_of.resize(graph.vertices.size(), -1);
  for (int v = 0; v < static_cast<int>(graph.vertices.size()); ++v) {
    const Vertex& vertex = graph.vertices[static_cast<std::size_t>(v)];
    const bool fuses = vertex.step && vertex.inputs.size() == 1 && vertex.step->exchange(0).kind == Exchange::Kind::kForward;
    if (fuses) {
      const int chain = plan.chain_of[static_cast<std::size_t>(vertex.inputs[0].vertex)];
      plan.chain_of[static_cast<std::size_t>(v)] = chain;
      plan.chains[static_cast<std::size_t>(chain)].vertices.push_back(v);
      continue;
    }
    const int p = parallelism_of(graph, plan, v, parallelism, splits[static_cast<std::size_t>(v)]);
    plan.chain_of[static_cast<std::size_t>(v)] = static_cast<int>(plan.chains.size());
    plan.chains.push_back({{v}, p});
  }
  return plan;
}

}  // namespace weir
