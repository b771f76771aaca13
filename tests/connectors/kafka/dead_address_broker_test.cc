#include <catch2/catch.hpp>

#include "connectors/kafka/client/lookup.h"
#include "runtime/api/commit_authority.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"
#include "tests/support/kafka_client.h"
#include "tests/support/temporary_folder.h"

using namespace weir;

// Nothing listens on port 9. Where others of `brokers` answer, such an address means nothing.

TEST_CASE("an address that refuses means nothing to an exactly-once start, wherever it stands", "[broker]") {
  KafkaClient client;
  const std::string topic = client.new_topic("dead"), real = client.brokers();
  const std::string brokers =
      GENERATE_COPY("127.0.0.1:9," + real, real + ",127.0.0.1:9", "127.0.0.1:9,localhost:9," + real + ",127.0.0.1:10");
  KafkaPipeline pipeline("brokers: \"" + brokers + "\"");
  const auto sink = pipeline.sink("topic: " + topic + ", key: n, guarantee: exactly_once", schema_of("n bigint"));
  REQUIRE(sink);
  const std::string job = unique_name("dead");
  for (int start = 0; start < 4; ++start) {  // restarts inside the process; librdkafka picks an address by chance
    TestAttempt attempt;
    attempt.context().job = job;
    sink->join_authority(attempt.context());
    const auto authority = sink->create_authority(attempt.context());
    sink->look_up(attempt.context());
    CHECK(authority->inspect().marker.has_value() == (start > 0));
    authority->open();
    authority->begin(Epoch{static_cast<std::uint64_t>(start + 1)});
    authority->commit(Epoch{static_cast<std::uint64_t>(start + 1)}, RunId{"aa"});
    authority->close();
  }
}

TEST_CASE("an address that refuses means nothing to a source, its group and its times", "[broker]") {
  KafkaClient client;
  const std::string topic = client.new_topic("dead", 2);
  client.produce_values(topic, {R"({"n":1})", R"({"n":2})"}, 0);
  const std::string group = unique_name("group");
  client.commit(group, topic, {{0, {1}}, {1, {0}}});
  KafkaPipeline pipeline("brokers: \"127.0.0.1:9," + client.brokers() + "\"");
  const std::string keys = "topic: " + topic + ", schema: {n: bigint}, end: latest, group: " + group;
  const auto committed = pipeline.source(keys + ", start: committed");
  const auto timed = pipeline.source(keys + ", start: {timestamp: \"2000-01-01T00:00:00Z\"}");
  REQUIRE((committed && timed));
  TestAttempt attempt;
  CHECK(read_all(*committed, attempt).rows == std::vector<std::string>{R"({"n":2})"});
  CHECK(read_all(*timed, attempt).rows.size() == 2);
}
