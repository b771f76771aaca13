#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "tests/broker/exactly_once_job.h"

using namespace weir;

// Keyed windows and running totals with exactly-once sinks are killed at random; in the end the topics hold what a
// computation of its own says.

namespace {

constexpr int kWindow = 100;  // rows: row n has the event time n ms

int kills_wanted() {
  const char* wanted = std::getenv("WEIR_KILLS");
  return wanted ? std::atoi(wanted) : 20;
}

/// Rows of `in` go into windows of 100 ms by key, and into totals by key, which are upserts.
struct WindowJob : ExactlyOnceJob {
  std::string totals = client.new_topic("totals", kPartitions);

  WindowJob() {
    source =
        ", event_time: { column: \"timestamp '2024-01-01' + n * interval '1 millisecond'\", idle_after: never, max_ahead: "
        "never }";
    steps =
        "steps:\n  windows: { from: in, aggregate: { by: k, window: { tumbling: 100ms }, select: { n: count(*), s: sum(n), "
        "lo: min(n), hi: max(n) } } }\n"
        "  sums: { from: in, aggregate: { by: k, select: { n: count(*), s: sum(n) } } }\n";
    from = "windows";
    more_sinks = "  totals: { from: sums, type: kafka, connection: main, topic: " + totals +
                 ", key: k, changelog: upsert, guarantee: exactly_once }\n";
    write();
  }

  /// How the windows differ from those of rows [0, rows).
  std::string window_difference(int rows) {
    std::multiset<std::string> expected, found;
    for (int start = 0; start < rows; start += kWindow) {
      for (int k = 0; k < kKeys; ++k) {
        int n = 0, lo = -1, hi = -1;
        std::int64_t s = 0;
        for (int row = start; row < std::min(rows, start + kWindow); ++row) {
          if (row % kKeys != k) continue;
          ++n, s += row, hi = row;
          if (lo < 0) lo = row;
        }
        if (n > 0) expected.insert(fmt::format("{} {} {} {} {}", k, n, s, lo, hi));
      }
    }
    for (const std::string& value : client.consume_values(out)) {
      const auto row = nlohmann::json::parse(value);
      found.insert(fmt::format("{} {} {} {} {}", row["k"].dump(), row["n"].dump(), row["s"].dump(), row["lo"].dump(),
                               row["hi"].dump()));
    }
    std::vector<std::string> missing, strange;
    std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(strange));
    if (missing.empty() && strange.empty()) return {};
    return fmt::format("{} of {} windows are missing ({}), {} are strange ({})", missing.size(), expected.size(),
                       missing.empty() ? "" : missing[0], strange.size(), strange.empty() ? "" : strange[0]);
  }

  /// How the totals differ: each key's records are its totals row after row, none lost, none twice.
  std::string total_difference(int rows) {
    std::map<int, int> count;
    for (const KafkaRecord& record : client.consume(totals)) {
      if (!record.value) return "a tombstone, though nothing goes";
      const auto row = nlohmann::json::parse(*record.value);
      const int k = row["k"], n = row["n"];
      if (*record.key != std::to_string(k)) return "a strange key: " + *record.key;
      if (n != ++count[k]) return fmt::format("total {} of key {} where {} was due", n, k, count[k]);
      const std::int64_t sum = std::int64_t{n} * k + std::int64_t{kKeys} * n * (n - 1) / 2;
      if (row["s"] != sum) return fmt::format("total {} of key {} is {}, not {}", n, k, row["s"].dump(), sum);
    }
    for (int k = 0; k < kKeys; ++k)
      if (count[k] != (rows - k + kKeys - 1) / kKeys)
        return fmt::format("key {} has {} totals of {} rows", k, count[k], rows);
    return {};
  }

  /// Ends the input behind row `rows` and runs to the end, which closes all windows.
  void finish(int rows) {
    source += ends_after(rows);
    write();
    const ProcessResult end = run();
    INFO(end.errors);
    REQUIRE(end.exit_code == 0);
    for (int i = 0; i < 100 && (transaction_open() || transaction_open(totals)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
};

}  // namespace

TEST_CASE("killed at random, keyed windows and totals come out once", "[broker][eos]") {
  WindowJob job;
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  ExactlyOnceJob::Feeder feeder(job, 3000);
  for (int kill = 0, kills = kills_wanted(); kill < kills; ++kill) {
    // Keys move between tasks.
    job.parallelism = 1 + static_cast<int>(random() % 3);
    job.write();
    const auto process = job.start();
    // A third while it starts, a third at any time, a third behind a checkpoint however slow the machine is.
    if (kill % 3 == 1) process->wait_for_line(" committed (", std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(kill % 3 == 0 ? random() % 150 : 100 + random() % 1000));
    process->kill();
  }
  const int rows = feeder.stop();
  REQUIRE(rows > 0);
  job.finish(rows);
  CHECK(job.marker_number() > kills_wanted() / 2);  // it came to something between the kills
  CHECK(job.window_difference(rows) == "");
  CHECK(job.total_difference(rows) == "");
}
