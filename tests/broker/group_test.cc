#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using std::chrono::seconds;
using Positions = std::map<int, std::int64_t>;

std::string reading(const std::string& brokers, const std::string& keys) {
  return "parallelism: 2\nconnections: { main: { type: kafka, brokers: \"" + brokers +
         "\" } }\nsources: { in: { type: kafka, connection: main, schema: { n: bigint }, " + keys +
         " } }\nsinks: { out: { from: in, type: discard } }\n";
}

Positions committed(KafkaClient& kafka, const std::string& group, const std::string& topic) {
  Positions positions;
  for (const auto& [partition, position] : kafka.committed(group, topic)) positions[partition] = position.offset;
  return positions;
}

}  // namespace

TEST_CASE("the group has the positions of the last checkpoint when the program has ended", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("group", 3);
  for (int p = 0; p < 3; ++p)
    kafka.produce_values(topic, std::vector<std::string>(static_cast<std::size_t>(10 + p), "{\"n\":1}"), p);
  const Positions all{{0, 10}, {1, 11}, {2, 12}};
  for (int run = 0; run < 5; ++run) {
    const std::string bounded = unique_name("bounded"), stopped = unique_name("stopped");
    const PipelineFolder to_the_end(reading(kafka.brokers(), "topic: " + topic + ", end: latest, group: " + bounded));
    const ProcessResult end = to_the_end.run();
    INFO(end.errors);
    REQUIRE(end.exit_code == 0);
    CHECK(committed(kafka, bounded, topic) == all);

    const PipelineFolder for_a_while(reading(kafka.brokers(), "topic: " + topic + ", group: " + stopped));
    const ProcessResult stop = for_a_while.run({"--stop-after", "2s"});
    INFO(stop.errors);
    REQUIRE(stop.exit_code == 0);
    CHECK(committed(kafka, stopped, topic) == for_a_while.positions());

    const PipelineFolder after_it(
        reading(kafka.brokers(), "topic: " + topic + ", start: committed, end: latest, group: " + bounded));
    const ProcessResult next = after_it.run();
    INFO(next.errors);
    CHECK(next.exit_code == 0);
  }
}

TEST_CASE("a broker whose first group it is, and one that does not answer, hold up the end of a job for seconds only",
          "[broker]") {
  BrokerControl broker;
  KafkaClient kafka(broker.brokers());
  kafka.create_topic("t", 4);
  for (int p = 0; p < 4; ++p) kafka.produce_values("t", {"{\"n\":1}"}, p);
  // The first group of a broker: its coordinator is not ready at once.
  const PipelineFolder first(reading(broker.brokers(), "topic: t, end: latest, group: first"));
  REQUIRE(first.run().exit_code == 0);
  CHECK(committed(kafka, "first", "t") == Positions{{0, 1}, {1, 1}, {2, 1}, {3, 1}});

  PipelineFolder folder("name: \"${JOB}\"\ncheckpoint: { dir: checkpoints, interval: 10m }\n" +
                        reading(broker.brokers(), "topic: t, group: watched"));
  Process process = folder.start();
  process.wait_for_line("running", seconds(20));
  std::this_thread::sleep_for(seconds(2));
  broker.freeze();
  const auto begun = std::chrono::steady_clock::now();
  process.signal(SIGTERM);
  CHECK(process.wait(seconds(40)) == 143);
  CHECK(std::chrono::steady_clock::now() - begun < seconds(15));
  CHECK_THAT(process.errors(), Contains("group watched") && Contains("no answer for 5 s"));
  broker.thaw();
}

TEST_CASE("--continue reads partitions and topics that were added, from their beginning", "[broker]") {
  KafkaClient kafka;
  const std::string prefix = unique_name("more");
  kafka.create_topic(prefix + "-a", 1);
  kafka.produce_values(prefix + "-a", {"{\"n\":1}", "{\"n\":2}"});
  const PipelineFolder folder(reading(kafka.brokers(), "topic_pattern: \"" + prefix + "-.*\", end: latest, start: latest"));
  REQUIRE(folder.run().exit_code == 0);
  kafka.create_topic(prefix + "-b", 2);
  kafka.produce_values(prefix + "-b", {"{\"n\":3}", "{\"n\":4}"}, 1);
  CHECK_THAT(folder.run().errors, Contains("nothing to do"));
  const ProcessResult more = folder.run({"--continue"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK_THAT(more.errors, Contains("new partition " + prefix + "-b-0") && Contains("new partition " + prefix + "-b-1") &&
                              Contains("2 rows in"));
}

TEST_CASE("the first checkpoint shows where partitions ended at the start, bounded or not", "[broker]") {
  const std::string end = GENERATE("", ", end: latest", ", end: {offsets: {0: 3}}");
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("claim");
  kafka.produce_values(topic, std::vector<std::string>(5, "{\"n\":1}"));
  PipelineFolder folder(reading(kafka.brokers(), "topic: " + topic + end + ", start: {offsets: {0: 1}}"));
  folder.set("WEIR_CRASH_AT", "after-claim");
  CHECK(folder.run().exit_code != 0);
  folder.set("WEIR_CRASH_AT", "");
  const auto split = [&](const ListedCheckpoint& checkpoint) {
    return nlohmann::json::parse(
        folder.weir({"checkpoints", "show", checkpoint.path.string(), "--json"}).output)["sources"]["in"]["splits"][0];
  };
  const int last = end.empty() || end == ", end: latest" ? 5 : 3;
  const auto first = split(folder.newest());
  CHECK(first["next_offset"] == 1);
  CHECK(first["end_offset"] == last);
  CHECK(first["lag"] == last - 1);
  folder.set("WEIR_CRASH_AT", "after-claim");
  kafka.produce_values(topic, {"{\"n\":1}"});
  CHECK(folder.run().exit_code != 0);
  folder.set("WEIR_CRASH_AT", "");
  CHECK(split(folder.newest())["end_offset"] == (end.empty() ? 6 : last));
}

}  // namespace weir
