#include <catch2/catch.hpp>

#include <future>
#include <random>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using std::chrono::milliseconds;

/// A pipeline that is killed again and again while its input is still being written.
///
/// Row n of partition p is number n of that partition. The filter takes away the rows with n % 10 = 3, and output partition
/// p holds what is left of input partition p, so that an output partition can be compared row by row with what it must be.
struct KilledPipeline {
  static constexpr int kPartitions = 4;
  const std::int64_t rows;  ///< of each partition
  KafkaClient kafka;
  const std::string in = kafka.new_topic("kill-in", kPartitions), out = kafka.new_topic("kill-out", kPartitions);
  PipelineFolder folder;
  std::vector<std::map<int, std::int64_t>> restored;  ///< the positions that each start after a kill goes back to

  KilledPipeline(std::int64_t rows, const std::string& parallelism, const std::string& source_options)
      : rows(rows), folder(yaml(parallelism, source_options, "none")), options_{parallelism, source_options} {}

  std::string yaml(const std::string& parallelism, const std::string& source_options, const std::string& end) const {
    return "parallelism: " + parallelism + R"(
checkpoint: { dir: checkpoints, interval: 100ms, retain: 2 }
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in: { type: kafka, connection: main, topic: )" +
           in + ", end: " + end + ", schema: { n: bigint, p: int, note: varchar }" + source_options + R"( }
steps:
  most: { from: in, filter: "n % 10 <> 3" }
  shown: { from: most, select: { n: n, p: p, twice: "n * 2" } }
sinks:
  out: { from: shown, type: kafka, connection: main, topic: )" +
           out + R"(, partition: p, key: p }
)";
  }

  /// Writes rows [from, to) of each partition.
  void write(std::int64_t from, std::int64_t to) {
    std::vector<KafkaRecord> records;
    for (int p = 0; p < kPartitions; ++p)
      for (std::int64_t n = from; n < to; ++n) {
        KafkaRecord r;
        r.partition = p;
        r.value = "{\"n\":" + std::to_string(n) + ",\"p\":" + std::to_string(p) +
                  ",\"note\":\"some text that is read and left out\"}";
        records.push_back(std::move(r));
      }
    KafkaClient(kafka.brokers()).produce(in, records);
  }

  /// Writes half of the input at once, and the rest little by little while the pipeline is started and killed `kills` times;
  /// then lets it read to the end.
  void run(int kills) {
    write(0, rows / 2);
    auto rest = std::async(std::launch::async, [this] {
      const std::int64_t step = std::max<std::int64_t>(1, rows / 80);
      for (std::int64_t n = rows / 2; n < rows; n += step) {
        write(n, std::min(rows, n + step));
        std::this_thread::sleep_for(milliseconds(60));
      }
    });
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (int i = 0; i < kills; ++i) {
      Process process = folder.start();
      // The first is let live for a while: a kill before the first claim would leave nothing to look at.
      if (i == 0) process.wait_for_line("checkpoint 2 committed");
      std::this_thread::sleep_for(milliseconds(random() % 500));
      REQUIRE(process.running());
      process.kill();
      restored.push_back(folder.positions());
    }
    rest.get();
    folder.rewrite(yaml(options_[0], options_[1], "latest"));
    const ProcessResult last = folder.run();
    INFO(last.errors);
    REQUIRE(last.exit_code == 0);
    REQUIRE_THAT(last.errors, Catch::Matchers::Contains("restored checkpoint"));
  }

  static bool kept(std::int64_t n) { return n % 10 != 3; }
  static std::int64_t first_kept(std::int64_t n) { return kept(n) ? n : n + 1; }

  /// The first thing wrong with an output partition: a row lost, or one that comes twice though no checkpoint before a kill
  /// goes back to it. Empty when all is well.
  std::string wrong(int p, const std::vector<std::int64_t>& numbers) const {
    std::int64_t next = 0;  // the smallest that has not been seen
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t n = numbers[i];
      if (n != expected) {
        const bool known =
            std::any_of(restored.begin(), restored.end(), [&](const auto& at) { return first_kept(at.at(p)) == n; });
        if (n > next || !known)
          return "partition " + std::to_string(p) + ", row " + std::to_string(i) + ": found " + std::to_string(n) +
                 ", expected " + std::to_string(expected);
      }
      expected = first_kept(n + 1);
      next = std::max(next, expected);
    }
    return next >= rows ? "" : "partition " + std::to_string(p) + " ends before " + std::to_string(next);
  }

  void check() {
    std::map<int, std::vector<std::int64_t>> numbers;
    for (const KafkaRecord& r : kafka.consume(out)) {
      REQUIRE(r.value);
      const std::int64_t n = member_n(*r.value);
      if (*r.value != "{\"n\":" + std::to_string(n) + ",\"p\":" + std::to_string(r.partition) +
                          ",\"twice\":" + std::to_string(2 * n) + "}")
        FAIL(*r.value);
      numbers[r.partition].push_back(n);
    }
    for (int p = 0; p < kPartitions; ++p) CHECK(wrong(p, numbers[p]) == "");
    for (std::size_t i = 1; i < restored.size(); ++i)
      for (int p = 0; p < kPartitions; ++p) CHECK(restored[i].at(p) >= restored[i - 1].at(p));
    for (const auto& [p, position] : folder.positions()) CHECK(position == rows);
  }

 private:
  const std::string options_[2];
};

}  // namespace

TEST_CASE("killed ten times at random, a job loses nothing and repeats only what came after a checkpoint", "[broker]") {
  KilledPipeline pipeline(25'000, "2", "");
  pipeline.run(10);
  pipeline.check();
}

TEST_CASE("killed with parallelism 1 and small batches, a job loses nothing", "[broker]") {
  KilledPipeline pipeline(4'000, "1", ", properties: { fetch.message.max.bytes: 3000 }");
  pipeline.run(4);
  pipeline.check();
}

TEST_CASE("killed with more tasks than partitions, a job loses nothing", "[broker][tsan]") {
  KilledPipeline pipeline(1'500, "6", "");
  pipeline.run(3);
  pipeline.check();
}

}  // namespace weir
