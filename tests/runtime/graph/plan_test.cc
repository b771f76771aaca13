#include "runtime/graph/plan.h"

#include <catch2/catch.hpp>

#include "tests/runtime/graph/played_components.h"

namespace weir {
namespace {

/// The chains of a pipeline with steps `steps` between sources in and other, as `in → a x2, out x1`. `splits` of each
/// source.
std::string plan_of(const std::string& steps, const std::string& sinks, int parallelism = 4, int splits = 0,
                    const std::string& in_keys = "") {
  const PlayedGraph g("name: p\nsources: { in: { type: numbers" + in_keys + " }, other: { type: numbers } }\nsteps: { " +
                      steps + " }\nsinks: { " + sinks + " }\n");
  if (!g.graph) return g.problems();
  std::vector<int> of_vertex;
  for (const Vertex& v : g.graph->vertices) of_vertex.push_back(v.source ? splits : 0);
  const Plan plan = make_plan(*g.graph, parallelism, of_vertex);
  std::string text;
  for (std::size_t c = 0; c < plan.chains.size(); ++c) {
    text += fmt::format("{}{} x{}", c ? ", " : "", plan.name(*g.graph, static_cast<int>(c)), plan.chains[c].parallelism);
    for (const int v : plan.chains[c].vertices) {
      CHECK(plan.chain_of.at(static_cast<std::size_t>(v)) == static_cast<int>(c));
      CHECK(plan.parallelism(v) == plan.chains[c].parallelism);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("steps that take rows forward run in the task of what they read, also when it has several readers") {
  CHECK(plan_of("a: { from: in, pass: true }, b: { from: a, pass: true }",
                "out: { from: b, type: out }, too: { from: a, type: out }") == "in → a → b → out → too x4, other x4");
}

TEST_CASE("a hash or rebalance exchange begins tasks of the job's parallelism") {
  CHECK(plan_of("a: { from: in, keyed: true }, b: { from: a, even: true }", "out: { from: b, type: out }", 3, 2) ==
        "in x2, other x2, a x3, b → out x3");
}

TEST_CASE("a source has no more tasks than splits or than its own key says, and what is chained to it neither") {
  CHECK(plan_of("a: { from: in, pass: true }", "out: { from: a, type: out }", 4, 2) == "in → a → out x2, other x2");
  CHECK(plan_of("a: { from: in, pass: true }", "out: { from: a, type: out }", 4, 9) == "in → a → out x4, other x4");
  CHECK(plan_of("a: { from: in, pass: true }", "out: { from: a, type: out }", 4, 2, ", parallelism: 1") ==
        "in → a → out x1, other x2");
  CHECK(plan_of("a: { from: in, pass: true }", "out: { from: a, type: out }", 4, 0, ", parallelism: 6") ==
        "in → a → out x6, other x4");
  CHECK(plan_of("a: { from: in, pass: true }", "out: { from: a, type: out }", 4, 3, ", parallelism: 6") ==
        "in → a → out x3, other x3");
}

TEST_CASE("a step of several inputs has tasks of its own: as many as its inputs have at most, or the job's by hash") {
  CHECK(plan_of("a: { from: [in, other], union: true }, b: { from: a, pass: true }", "out: { from: b, type: out }", 4, 3,
                ", parallelism: 2") == "in x2, other x3, a → b → out x3");
  CHECK(plan_of("a: { from: in, keyed: true }, b: { from: [a, other], union: true }", "out: { from: b, type: out }", 5, 2) ==
        "in x2, other x2, a x5, b → out x5");
  CHECK(plan_of("a: { from: [in, in], union: true }", "out: { from: a, type: out }", 4, 1) == "in x1, other x1, a → out x1");
}

TEST_CASE("edges inside a task are known from those between tasks") {
  const PlayedGraph g(R"(name: p
sources: { in: { type: numbers } }
steps: { a: { from: in, pass: true }, b: { from: a, keyed: true }, c: { from: [a, b], union: true } }
sinks: { out: { from: c, type: out } }
)");
  REQUIRE(g.problems() == "");
  const Plan plan = make_plan(*g.graph, 2, std::vector<int>(5, 0));
  CHECK(plan.chained(g.at("in"), g.at("a")));
  CHECK_FALSE(plan.chained(g.at("a"), g.at("b")));
  CHECK_FALSE(plan.chained(g.at("b"), g.at("c")));
  CHECK(plan.chained(g.at("c"), g.at("out")));
}

}  // namespace weir
