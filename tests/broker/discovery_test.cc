#include <catch2/catch.hpp>

#include <future>

#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using std::chrono::milliseconds;

/// Topics `grow-.*`, looked for every 100 ms by two tasks, into topic `out`.
std::string growing(const std::string& brokers) {
  return R"(
parallelism: 2
connections: { main: { type: kafka, brokers: ")" +
         brokers + R"(" } }
sources: { in: { type: kafka, connection: main, topic_pattern: "grow-.*", discovery: 100ms, schema: { n: bigint } } }
sinks: { out: { from: in, type: kafka, connection: main, topic: out, guarantee: exactly_once } }
)";
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

TEST_CASE("a topic that is made while the broker stands still is found once, and its rows come out once", "[broker]") {
  BrokerControl broker;
  KafkaClient kafka(broker.brokers());
  kafka.create_topic("out", 1);
  kafka.create_topic("grow-a", 2);
  kafka.produce_values("grow-a", lines_with_n(0, 10), 0);
  PipelineFolder folder(growing(broker.brokers()));
  {
    Process process = folder.start();
    process.wait_for_line("running", std::chrono::seconds(60));
    std::this_thread::sleep_for(milliseconds(300));
    broker.freeze();
    auto made = std::async(std::launch::async, [&] { KafkaClient(broker.brokers()).create_topic("grow-b", 3); });
    std::this_thread::sleep_for(milliseconds(2500));  // the interval passes 25 times
    broker.thaw();
    made.get();
    process.wait_for_line("found grow-b-2", std::chrono::seconds(60));
    for (int p = 0; p < 3; ++p) kafka.produce_values("grow-b", lines_with_n(10 + p * 20, 30 + p * 20), p);
    wait_until(
        "the rows of the new topic", [&] { return kafka.consume_values("out").size() >= 70; }, std::chrono::seconds(60));
    std::this_thread::sleep_for(milliseconds(500));  // for looks that found it too
    for (int p = 0; p < 3; ++p) CHECK(process.count_lines("found grow-b-" + std::to_string(p)) == 1);
    process.kill();
  }
  kafka.produce_values("grow-b", lines_with_n(70, 110), 1);
  Process process = folder.start();
  wait_until(
      "the rows behind the kill", [&] { return kafka.consume_values("out").size() >= 110; }, std::chrono::seconds(60));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  CHECK(sorted(members_n(kafka.consume_values("out"))) == members_n(lines_with_n(0, 110)));
}

TEST_CASE("topics that come one after another while looks follow each other closely are each found once", "[broker]") {
  KafkaClient kafka;
  const std::string in = unique_name("close"), out = kafka.new_topic("close-out");
  kafka.create_topic(in + "-0", 2);
  PipelineFolder folder(R"(
parallelism: 2
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources: { in: { type: kafka, connection: main, topic_pattern: ")" +
                        in + R"(-.*", discovery: 5ms, schema: { n: bigint } } }
sinks: { out: { from: in, type: kafka, connection: main, topic: )" +
                        out + " } }\n");
  Process process = folder.start();
  process.wait_for_line("running", std::chrono::seconds(60));
  for (int t = 1; t <= 3; ++t) {
    const std::string topic = in + "-" + std::to_string(t);
    kafka.create_topic(topic, 2);
    kafka.produce_values(topic, lines_with_n(t * 10, t * 10 + 10), t % 2);
  }
  wait_until(
      "all rows", [&] { return kafka.end_offsets(out).at(0) >= 30; }, std::chrono::seconds(60));
  std::this_thread::sleep_for(milliseconds(300));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  CHECK(process.count_lines("in: found") == 6);
  CHECK(sorted(members_n(kafka.consume_values(out))) == members_n(lines_with_n(10, 40)));
}

TEST_CASE("a bounded source that found no topic looks again at every start", "[broker]") {
  KafkaClient kafka;
  const std::string in = unique_name("later"), out = kafka.new_topic("later-out"), open = kafka.new_topic("open");
  PipelineFolder folder(R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in: { type: kafka, connection: main, topic_pattern: ")" +
                        in + R"(-.*", end: latest, schema: { n: bigint } }
  open: { type: kafka, connection: main, topic: )" +
                        open + R"(, schema: { n: bigint } }
sinks:
  out: { from: in, type: kafka, connection: main, topic: )" +
                        out + R"( }
  none: { from: open, type: discard }
)");
  {
    Process process = folder.start();
    process.wait_for_line("running", std::chrono::seconds(60));
    process.kill();
  }
  kafka.create_topic(in + "-a", 2);
  kafka.produce_values(in + "-a", lines_with_n(0, 3), 1);
  Process process = folder.start();
  wait_until(
      "the rows of the topic", [&] { return kafka.end_offsets(out).at(0) >= 3; }, std::chrono::seconds(60));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  CHECK(members_n(kafka.consume_values(out)) == members_n(lines_with_n(0, 3)));
}

}  // namespace weir
