#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/held_run.h"
#include "tests/support/hostile_harness.h"

// Aggregates of a changelog against a model that keeps the rows of each group and computes anew.

namespace weir {
namespace {

using Rows = std::vector<std::string>;
using Values = std::vector<std::int64_t>;  // of a group, in order of arrival

std::string list(const Values& values) {
  std::string out;
  for (const std::int64_t v : values) out += fmt::format("{}{}", out.empty() ? "" : ",", v);
  return out;
}

std::string result_of(const std::string& key, const Values& v) {
  const std::set<std::int64_t> distinct(v.begin(), v.end());
  const auto is_large = [](std::int64_t x) { return x > 2; };
  std::int64_t sum = 0, distinct_sum = 0, odd = 0;
  std::string text;
  for (const std::int64_t x : v) sum += x, odd += x % 2, text += fmt::format("{}{}", text.empty() ? "" : "-", x);
  for (const std::int64_t x : distinct) distinct_sum += x;
  return fmt::format(
      R"({{"k":"{}","n":{},"s":{},"lo":{},"hi":{},"d":{},"sd":{},"f":{},"l":{},"odd":{},"every":{},"some":{},"a":[{}],"t":"{}","da":[{}],"dl":{},"dt":{}}})",
      key, v.size(), sum, *distinct.begin(), *distinct.rbegin(), distinct.size(), distinct_sum, v.front(), v.back(), odd,
      odd == 0, odd < static_cast<std::int64_t>(v.size()), list(v), text, list({distinct.begin(), distinct.end()}),
      std::count_if(distinct.begin(), distinct.end(), is_large),
      distinct.size() - (distinct.contains(0) && distinct.contains(5) ? 1u : 0u));
}

constexpr const char* kStep =
    "aggregate:\n  by: [k]\n  select: { n: count(*), s: sum(v), lo: min(v), hi: max(v), d: count(distinct v), sd: "
    "sum(distinct v), f: first(v), l: last(v), "
    "odd: count(*) filter (where v % 2 = 1), every: bool_and(v % 2 = 0), some: bool_or(v % 2 = 0), a: array_agg(v), t: "
    "\"string_agg(v::varchar, '-')\", da: array_agg(distinct v), "
    "dl: count(distinct v) filter (where v > 2), dt: count(distinct v % 5) }";

/// Inserts, updates and deletes rows at random, and knows what is there.
class Changes {
 public:
  explicit Changes(std::mt19937& random) : random_(random) {}

  BatchPtr batch(const SchemaPtr& schema) {
    Rows rows;
    std::vector<RowKind> kinds;
    const auto add = [&](RowKind kind, const std::string& key, std::int64_t v) {
      rows.push_back(fmt::format("{}|{}", key, v));
      kinds.push_back(kind);
    };
    for (int n = 1 + pick(8); n > 0; --n) {
      const bool replaces = !present_.empty() && pick(5) < 3, returns = !replaces || pick(2) == 0;
      if (replaces) {
        const std::size_t at = random_() % present_.size();
        const auto [key, v] = present_[at];
        present_.erase(present_.begin() + static_cast<std::ptrdiff_t>(at));
        add(returns ? RowKind::kUpdateBefore : RowKind::kDelete, key, v);
        Values& values = groups_[key];
        values.erase(std::next(std::find(values.rbegin(), values.rend(), v)).base());  // of equal ones the last
      }
      if (!returns) continue;
      const std::string key = fmt::format("k{}", pick(3));  // an update may move the row to another group
      const std::int64_t v = pick(6);
      present_.emplace_back(key, v);
      add(replaces ? RowKind::kUpdateAfter : RowKind::kInsert, key, v);
      groups_[key].push_back(v);
    }
    return batch_of(schema, rows, kinds);
  }

  Rows expected() const {
    Rows rows;
    for (const auto& [key, values] : groups_)
      if (!values.empty()) rows.push_back(result_of(key, values));
    return rows;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::mt19937& random_;
  std::vector<std::pair<std::string, std::int64_t>> present_;
  std::map<std::string, Values> groups_;
};

void run_seed(unsigned seed, bool held) {
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Schema fields(schema_of("k varchar, v bigint")->fields());
  fields.set_changelog(true);
  const auto schema = std::make_shared<const Schema>(fields);
  Components components;
  add_aggregate(components);
  const auto step = bind_step(components, kStep, {schema});
  REQUIRE(step.problems == "");
  Changes changes(random);
  std::vector<Given> given;
  for (unsigned inputs = 1 + random() % 6; inputs > 0; --inputs) given.push_back({changes.batch(schema)});
  std::map<std::string, int> count;
  EmittedRows out = held ? HeldRun(*step, seed).run(given) : run_hostile(*step, given);
  for (const std::string& change : out[""]) count[change.substr(3)] += change[0] == '+' ? 1 : -1;
  Rows left;
  for (const auto& [row, n] : count) {
    REQUIRE((n == 0 || n == 1));
    if (n == 1) left.push_back(row);
  }
  REQUIRE(left == changes.expected());
}

TEST_CASE("an aggregate of a changelog is that of the rows that are there") {
  const char* more = std::getenv("WEIR_TEST_SEEDS");
  const unsigned seeds = more ? static_cast<unsigned>(std::atoi(more)) : 30;
  for (unsigned seed = 1; seed <= seeds; ++seed) run_seed(seed, false), run_seed(seed, true);
}

}  // namespace
}  // namespace weir
