// Two topics that meet in a union: a replayed one that is there at once, and one that comes slowly.
#include <catch2/catch.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Rows with n seconds as their time, of both topics, in the order in which the union has them.
struct DriftJob {
  static constexpr std::int64_t kFast = 20'000, kDrift = 60, kBatch = 2000;

  KafkaClient kafka;
  const std::string fast = kafka.new_topic("fast", 2), slow = kafka.new_topic("slow", 2);
  PipelineFolder folder;
  std::int64_t slow_written = 0;

  explicit DriftJob(const std::string& idle_after, const std::string& parallelism = "1")
      : folder("name: \"${JOB}\"\nparallelism: " + parallelism + R"(
max_drift: 60s
checkpoint: { dir: checkpoints, interval: 100ms }
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
)" + source("fast", fast, idle_after) +
               source("slow", slow, idle_after) + R"(
steps: { both: { from: [fast, slow], union: {} } }
sinks: { out: { from: both, type: file, path: out } }
)") {
    for (int p = 0; p < 2; ++p) kafka.produce_values(fast, values("fast", 0, kFast), p);
  }

  /// Rows of slow up to time `to`, in both partitions.
  void write_slow(std::int64_t to) {
    for (int p = 0; p < 2; ++p) kafka.produce_values(slow, values("slow", slow_written, to), p);
    slow_written = to;
  }
  std::int64_t position(const std::string& name) const {
    std::int64_t all = 0;
    for (const auto& [partition, next] : folder.positions(name)) all += std::max<std::int64_t>(0, next);
    return all;
  }
  /// Waits until slow was read as far as it was written, and fast no further than that lets it.
  void wait_for_held() const {
    wait_until(
        "slow to be read", [&] { return position("slow") == 2 * slow_written; }, seconds(30));
    std::int64_t before = -1;
    wait_until(
        "fast to stand still",
        [&] {
          std::this_thread::sleep_for(milliseconds(300));
          return std::exchange(before, position("fast")) == position("fast") && before > 0;
        },
        seconds(30));
    // A batch of either partition may be beyond it.
    CHECK(before >= 2 * (slow_written + kDrift) - 2);
    CHECK(before <= 2 * (slow_written + kDrift) + 2 * kBatch);
  }
  void wait_for_all_of_fast() const {
    wait_until(
        "all of fast", [&] { return position("fast") == 2 * kFast; }, seconds(60));
  }

 private:
  static std::string source(const std::string& name, const std::string& topic, const std::string& idle_after) {
    return "  " + name + ": { type: kafka, connection: main, topic: " + topic +
           ", schema: { src: varchar, n: bigint }, event_time: { column: \"to_timestamp(n)\", idle_after: " + idle_after +
           " } }\n";
  }
  static std::vector<std::string> values(const std::string& source, std::int64_t from, std::int64_t to) {
    std::vector<std::string> values;
    for (; from < to; ++from) values.push_back(fmt::format(R"({{"src":"{}","n":{}}})", source, from));
    return values;
  }
};

void stop(Process& process) {
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
}

}  // namespace

TEST_CASE("a replayed topic is read no further ahead of a slow one than max_drift, also behind a restore", "[broker]") {
  DriftJob job("never");
  job.write_slow(1000);
  Process first = job.folder.start();
  first.wait_for_line("running", seconds(20));
  job.wait_for_held();
  stop(first);
  Process again = job.folder.start({"--set", "parallelism=2"});
  again.wait_for_line("running", seconds(20));
  job.wait_for_held();
  job.write_slow(5000);
  job.wait_for_held();
  job.write_slow(DriftJob::kFast);
  job.wait_for_all_of_fast();
  stop(again);
}

TEST_CASE("a topic that is idle, and one in which nothing ever was, hold no other", "[broker]") {
  DriftJob job("1s", "2");
  const auto begun = std::chrono::steady_clock::now();
  Process process = job.folder.start();
  process.wait_for_line("running", seconds(20));
  job.wait_for_all_of_fast();
  job.write_slow(10);
  wait_until(
      "slow to be read", [&] { return job.position("slow") == 20; }, seconds(30));
  CHECK(std::chrono::steady_clock::now() - begun < seconds(60));
  stop(process);

  DriftJob started("1s", "2");
  started.write_slow(10);
  Process other = started.folder.start();
  other.wait_for_line("running", seconds(20));
  started.wait_for_all_of_fast();
  stop(other);
}

}  // namespace weir
