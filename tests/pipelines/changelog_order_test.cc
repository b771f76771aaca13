#include <spdlog/spdlog.h>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/pipelines/run_case.h"
#include "tests/support/temporary_folder.h"

// Changelogs that go through several tasks: the changes of a row stay in order, and what is computed from them is right.

using namespace weir;
using nlohmann::json;

namespace {

constexpr const char* kPipeline = R"(name: order
checkpoint: { interval: 50ms }
sources:
  s: { type: generator, rows: 20000, select: { n: n, k: "(random() * 50)::bigint", v: "(random() * 5)::bigint" } }
steps:
  a: { from: s, aggregate: { by: k, select: { c: count(*), s: sum(v), mx: max(n) } } }
  even: { from: a, filter: c % 2 = 0 }
  r: { from: a, route: { x: c % 3 = 0, y: c % 3 = 1 } }
  u: { from: [r.x, r.y, r.rest], union: {} }
  b: { from: u, aggregate: { by: { g: s % 7 }, select: { n: count(*), sc: sum(c), mx: max(mx), d: count(distinct c) } } }
  t: { from: b, aggregate: { select: { n: sum(n), sc: sum(sc), mx: max(mx) } } }
sinks:
  to_a: { from: a, type: file, path: "${OUT}/a", changelog: append_op }
  to_even: { from: even, type: file, path: "${OUT}/even", changelog: append_op }
  to_x: { from: r.x, type: file, path: "${OUT}/x", changelog: append_op }
  to_b: { from: b, type: file, path: "${OUT}/b", changelog: append_op }
  to_t: { from: t, type: file, path: "${OUT}/t", changelog: append_op }
)";

/// What is left of a changelog, by key. Throws std::runtime_error where a change does not fit the one of its key before.
std::map<std::string, json> table_of(const std::vector<std::string>& lines, const char* key) {
  std::map<std::string, json> table;
  for (const std::string& line : lines) {
    json row = json::parse(line);
    const std::string op = row.at("op");
    row.erase("op");
    const std::string of = key ? row.at(key).dump() : "";
    const auto there = table.find(of);
    const bool fits = op[0] == '+' ? there == table.end() : there != table.end() && there->second == row;
    if (!fits) throw std::runtime_error("out of order: " + line);
    if (op[0] == '+') table[of] = row;
    else table.erase(there);
  }
  return table;
}

/// The groups of `b`, computed from the rows of `a`: n, sc, mx, d.
std::map<std::string, std::array<std::int64_t, 4>> groups_of(const std::map<std::string, json>& rows) {
  std::map<std::string, std::array<std::int64_t, 4>> groups;
  std::map<std::string, std::set<std::int64_t>> counts;
  for (const auto& [key, row] : rows) {
    const std::string g = json(row["s"].get<std::int64_t>() % 7).dump();
    auto& [n, sc, mx, d] = groups[g];
    n += 1, sc += row["c"].get<std::int64_t>(), mx = std::max(mx, row["mx"].get<std::int64_t>());
    counts[g].insert(row["c"].get<std::int64_t>());
    d = static_cast<std::int64_t>(counts[g].size());
  }
  return groups;
}

}  // namespace

TEST_CASE("changes of a row stay in order through tasks, routes and unions, and aggregates of aggregates are right") {
  spdlog::set_level(spdlog::level::warn);
  const TemporaryFolder folder;
  folder.write("pipeline.yaml", kPipeline);
  for (const int parallelism : {2, 3}) {
    INFO("parallelism " << parallelism);
    CaseOutput output = run_case(folder / "", {.name = "", .parallelism = parallelism, .batch_rows = 100}, 0);
    const auto a = table_of(output["a"], "k");
    CHECK(a.size() == 51);
    CHECK_NOTHROW(table_of(output["even"], "k"));
    CHECK_NOTHROW(table_of(output["x"], "k"));
    std::map<std::string, std::array<std::int64_t, 4>> found;
    for (const auto& [g, row] : table_of(output["b"], "g")) found[g] = {row["n"], row["sc"], row["mx"], row["d"]};
    CHECK(found == groups_of(a));
    const auto total = table_of(output["t"], nullptr);
    REQUIRE(total.size() == 1);
    CHECK(total.begin()->second == json{{"n", 51}, {"sc", 20000}, {"mx", 19999}});
  }
}
