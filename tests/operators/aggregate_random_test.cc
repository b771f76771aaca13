#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "operators/operators.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"

// Windows against a model that keeps all rows and all windows, over random rows, disorder, watermarks, batches and restores.

namespace weir {
namespace {

using Rows = std::vector<std::string>;

struct Row {
  std::string key;
  std::int64_t value, time;
};

/// A window of a key with the values it took, in order of arrival.
struct Window {
  std::int64_t start, end;
  std::vector<std::int64_t> values;
};

std::int64_t floor_to(std::int64_t time, std::int64_t step, std::int64_t origin) {
  std::int64_t rest = (time - origin) % step;
  return time - (rest < 0 ? rest + step : rest);
}

/// What kind of windows, in seconds.
struct Shape {
  std::string kind;
  std::int64_t size, every, offset;

  std::string yaml() const {
    if (kind == "session") return fmt::format("{{ session: {}s }}", size);
    if (kind == "tumbling") return fmt::format("{{ tumbling: {}s, offset: {}s }}", size, offset);
    return fmt::format("{{ {}: {}s, every: {}s, offset: {}s }}", kind, size, every, offset);
  }

  /// All windows that hold a time, in microseconds.
  std::vector<std::pair<std::int64_t, std::int64_t>> windows_of(std::int64_t time) const {
    const std::int64_t s = 1'000'000, length = size * s, step = every * s, origin = offset * s;
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    if (kind == "tumbling") {
      const std::int64_t start = floor_to(time, length, origin);
      found.emplace_back(start, start + length);
    } else if (kind == "hopping") {
      for (std::int64_t start = floor_to(time, step, origin); start > time - length; start -= step)
        found.emplace_back(start, start + length);
    } else {
      const std::int64_t start = floor_to(time, length, origin);
      for (std::int64_t end = start + step; end <= start + length; end += step)
        if (end > time) found.emplace_back(start, end);
    }
    return found;
  }
};

class Model {
 public:
  explicit Model(Shape shape) : shape_(std::move(shape)) {}

  void take(const Row& row) {
    if (shape_.kind == "session") return take_session(row);
    bool late = false;
    for (const auto& [start, end] : shape_.windows_of(row.time)) {
      if (end - 1 <= watermark_) {
        late = true;
        continue;
      }
      Window& window = windows_[{row.key, start, end}];
      window.start = start, window.end = end;
      window.values.push_back(row.value);
    }
    if (late) late_.push_back(fmt::format(R"({{"k":"{}","v":{},"at":"{}"}})", row.key, row.value, format_iso({row.time})));
  }

  void advance(std::int64_t watermark) {
    watermark_ = std::max(watermark_, watermark);
    for (auto it = windows_.begin(); it != windows_.end();) {
      if (open_until(it->second.end) > watermark_) {
        ++it;
        continue;
      }
      fire(std::get<0>(it->first), it->second);
      it = windows_.erase(it);
    }
  }

  Rows fired() const { return fired_; }
  Rows late() const { return late_; }

 private:
  /// A row at the end of a session touches it.
  std::int64_t open_until(std::int64_t end) const { return shape_.kind == "session" ? end : end - 1; }

  void take_session(const Row& row) {
    const std::int64_t gap = shape_.size * 1'000'000;
    Window merged{row.time, row.time + gap, {}};
    std::vector<decltype(windows_)::iterator> joined;
    // A session that the row joins may reach further, but not another one: those would have been one before.
    for (auto it = windows_.begin(); it != windows_.end(); ++it)
      if (std::get<0>(it->first) == row.key && it->second.start <= row.time + gap && it->second.end >= row.time)
        joined.push_back(it);
    for (const auto& it : joined) {
      merged.start = std::min(merged.start, it->second.start);
      merged.end = std::max(merged.end, it->second.end);
      merged.values.insert(merged.values.end(), it->second.values.begin(), it->second.values.end());
    }
    if (joined.empty() && merged.end - 1 <= watermark_) {
      late_.push_back(fmt::format(R"({{"k":"{}","v":{},"at":"{}"}})", row.key, row.value, format_iso({row.time})));
      return;
    }
    for (const auto& it : joined) windows_.erase(it);
    merged.values.push_back(row.value);
    std::sort(merged.values.begin(), merged.values.end());  // values rise with arrival
    windows_[{row.key, merged.start, merged.end}] = merged;
  }

  void fire(const std::string& key, const Window& w) {
    std::int64_t sum = 0, least = w.values.front();
    std::string list;
    std::set<std::int64_t> distinct;
    for (const std::int64_t v : w.values) {
      sum += v, least = std::min(least, v);
      distinct.insert(v % 3);
      list += fmt::format("{}{}", list.empty() ? "" : ",", v);
    }
    fired_.push_back(fmt::format(
        R"({{"k":"{}","window_start":"{}","window_end":"{}","n":{},"s":{},"lo":{},"f":{},"d":{},"list":[{}],"_event_time":"{}"}})",
        key, format_iso({w.start}), format_iso({w.end}), w.values.size(), sum, least, w.values.front(), distinct.size(),
        list, format_iso({w.end - 1})));
  }

  Shape shape_;
  std::int64_t watermark_ = Timestamp::none().micros;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, Window> windows_;
  Rows fired_, late_;
};

Shape random_shape(std::mt19937& random) {
  const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  switch (pick(4)) {
    case 0: return {"tumbling", 1 + pick(10), 1, pick(3)};
    case 1: {
      if (pick(3) == 0) return {"hopping", 32 + pick(12), 1, pick(3)};  // so many slices are merged by runs
      const std::int64_t size = 2 + pick(12);
      return {"hopping", size, 1 + pick(size), pick(3)};
    }
    case 2: {
      const std::int64_t every = 1 + pick(4);
      return {"cumulate", every * (1 + pick(4)), every, pick(3)};
    }
    default: return {"session", 1 + pick(5), 1, 0};
  }
}

void run_seed(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  const Shape shape = random_shape(random);
  INFO("seed " << seed << ", " << shape.yaml());
  const SchemaPtr schema = schema_of("k varchar, v int, at timestamp", "at");
  Components components;
  add_aggregate(components);
  const auto step = bind_step(
      components,
      "aggregate:\n  by: [k]\n  window: " + shape.yaml() +
          "\n  select: { n: count(*), s: sum(v), lo: min(v), f: first(v), d: count(distinct v % 3), list: array_agg(v) }",
      {schema});
  REQUIRE(step.problems == "");

  Model model(shape);
  std::vector<Given> given;
  std::int64_t now = pick(2) ? 0 : -20'000'000, value = 0, watermark = Timestamp::none().micros;
  const std::int64_t keys = 1 + pick(6), disorder = 1 + pick(12'000'000), inputs = 2 + pick(12);
  for (std::int64_t i = 0; i < inputs; ++i) {
    Rows rows;
    for (std::int64_t n = 1 + pick(8); n > 0; --n) {
      now += pick(1'500'000);
      // On whole seconds now and then, where the borders of windows are.
      std::int64_t time = now - pick(disorder);
      if (pick(3) == 0) time = floor_to(time, 1'000'000, 0) - pick(2);
      const Row row{fmt::format("k{}", pick(keys)), ++value, time};
      model.take(row);
      rows.push_back(fmt::format("{}|{}|{}", row.key, row.value, row.time));
    }
    given.push_back({batch_of(schema, rows)});
    if (pick(3) == 0) continue;
    watermark = std::max(watermark, now - pick(disorder + 2'000'000));
    if (pick(3) == 0) watermark = std::max(watermark, floor_to(now, 1'000'000, 0) - 1);
    given.push_back({nullptr, 0, Timestamp{watermark}});
    model.advance(watermark);
  }
  if (pick(4) > 0) {
    given.push_back({nullptr, 0, Timestamp::infinity()});
    model.advance(Timestamp::infinity().micros);
  }
  EmittedRows out = run_hostile(*step, given);
  Rows expected = model.fired();
  std::sort(expected.begin(), expected.end());
  std::sort(out[""].begin(), out[""].end());
  REQUIRE(out[""] == expected);
  REQUIRE(out["late"] == model.late());
}

/// What the changes of a changelog add up to.
Rows added_up(const Rows& changes) {
  std::map<std::string, int> count;
  for (const std::string& change : changes) count[change.substr(3)] += change[0] == '+' ? 1 : -1;
  Rows left;
  for (const auto& [row, n] : count) {
    REQUIRE(n >= 0);
    for (int i = 0; i < n; ++i) left.push_back(row);
  }
  return left;
}

/// Windows whose every change comes out add up to those that come out when they close.
void run_updating_seed(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  const Shape shape = random_shape(random);
  INFO("seed " << seed << ", " << shape.yaml());
  const SchemaPtr schema = schema_of("k varchar, v int, at timestamp", "at");
  Components components;
  add_aggregate(components);
  const auto bind = [&](const std::string& emit) {
    return bind_step(
        components,
        "aggregate:\n  by: [k]\n  window: " + shape.yaml() +
            "\n  select: { n: count(*), lo: min(v), list: array_agg(v) filter (where v % 2 = 0) }\n  emit: " + emit,
        {schema});
  };
  const auto closing = bind("on_close"), updating = bind("on_update");
  REQUIRE(closing.problems == "");
  REQUIRE(updating.problems == "");
  std::vector<Given> given;
  std::int64_t now = 0, value = 0;
  for (std::int64_t inputs = 2 + pick(8); inputs > 0; --inputs) {
    Rows rows;
    for (std::int64_t n = 1 + pick(8); n > 0; --n) {
      now += pick(2'500'000);
      rows.push_back(fmt::format("k{}|{}|{}", pick(3), ++value, now - pick(4'000'000)));
    }
    given.push_back({batch_of(schema, rows)});
    if (pick(3) > 0) given.push_back({nullptr, 0, Timestamp{now - pick(5'000'000)}});
  }
  given.push_back({nullptr, 0, Timestamp::infinity()});
  EmittedRows closed = run_hostile(*closing, given), updated = run_hostile(*updating, given);
  std::sort(closed[""].begin(), closed[""].end());
  REQUIRE(added_up(updated[""]) == closed[""]);
  REQUIRE(updated["late"] == closed["late"]);
}

TEST_CASE("windows that are updated end as those that come out when they close") {
  const char* more = std::getenv("WEIR_TEST_SEEDS");
  const unsigned seeds = more ? static_cast<unsigned>(std::atoi(more)) : 30;
  for (unsigned seed = 1; seed <= seeds; ++seed) run_updating_seed(seed);
}

TEST_CASE("windows are those of a model that keeps everything") {
  const char* more = std::getenv("WEIR_TEST_SEEDS");
  const unsigned seeds = more ? static_cast<unsigned>(std::atoi(more)) : 30;
  for (unsigned seed = 1; seed <= seeds; ++seed) run_seed(seed);
}

}  // namespace
}  // namespace weir
