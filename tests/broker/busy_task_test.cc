#include <catch2/catch.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

/// One task with more rows than it can work off in a second: windows of a minute over two partitions, behind a filter that
/// is slow.
struct BusyJob {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("busy", 2), out = kafka.new_topic("busy-out");
  PipelineFolder folder{R"yaml(
parallelism: 1
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in:
    type: kafka
    connection: main
    topic: )yaml" + in + R"yaml(
    schema: { n: bigint, at: timestamp }
    on_error: skip
    event_time: { column: at, idle_after: 200ms }
steps:
  slow: { from: in, filter: "length(repeat(n::varchar || 'abcdefgh', 9000)) > 0" }
  windows: { from: slow, aggregate: { window: { tumbling: 1m }, select: { n: "count(*)" } } }
sinks: { out: { from: windows, type: kafka, connection: main, topic: )yaml" +
                        out + " } }\n"};

  /// Rows 100 ms apart.
  void write(int rows, int partition, std::vector<std::string> first = {}) {
    for (int n = 0; n < rows; ++n)
      first.push_back(R"({"n":)" + std::to_string(n) + R"(,"at":)" + std::to_string(1'704'067'200'000 + n * 100) + "}");
    kafka.produce_values(in, first, partition);
  }
  /// Runs until a window has come out. Returns where the partitions stand then.
  std::map<int, std::int64_t> run_until_a_window() {
    Process process = folder.start();
    wait_until(
        "a window", [&] { return kafka.end_offsets(out).at(0) > 0; }, std::chrono::seconds(60));
    process.signal(SIGTERM);
    process.wait();
    return folder.positions();
  }
};

}  // namespace

TEST_CASE("an empty partition becomes idle while its task is busy with another", "[broker]") {
  BusyJob job;
  job.write(40'000, 0);
  CHECK(job.run_until_a_window().at(0) < 40'000);
}

TEST_CASE("a refused row with a far time does not put its partition behind the others", "[broker]") {
  const std::string refused = GENERATE(R"({"n":-1,"at":"2400-01-01T00:00:00Z"})", R"({"n":-1,"at":null})",
                                       R"({"n":"x","at":"2400-01-01T00:00:00Z"})");
  BusyJob job;
  job.write(20'000, 0, {refused});
  job.write(20'000, 1);
  const auto positions = job.run_until_a_window();
  CHECK(positions.at(0) > 600);
  CHECK(positions.at(1) < 20'000);
}

}  // namespace weir
