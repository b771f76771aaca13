#include <catch2/catch.hpp>

#include "connectors/kafka/client/handles.h"
#include "runtime/base/error.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"
#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"
#include "tests/support/kafka_produce.h"

using namespace weir;
using Catch::Contains;

namespace {

const SchemaPtr kInput = schema_of("n bigint");

/// A broker with an authorizer: everybody may do everything with a topic until somebody is given a right to it.
BrokerControl& strict_broker() {
  static BrokerControl broker({"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                               "allow.everyone.if.no.acl.found=true"});
  return broker;
}

void allow(const std::string& topic, const std::string& principal, rd_kafka_AclOperation_t operation) {
  rd_kafka_t* client = new_kafka(RD_KAFKA_PRODUCER, {{"bootstrap.servers", strict_broker().brokers()}});
  char text[256];
  rd_kafka_AclBinding_t* acl =
      rd_kafka_AclBinding_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL, principal.c_str(),
                              "*", operation, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, text, sizeof text);
  rd_kafka_queue_t* queue = rd_kafka_queue_new(client);
  rd_kafka_CreateAcls(client, &acl, 1, nullptr, queue);
  rd_kafka_event_t* event = rd_kafka_queue_poll(queue, 10'000);
  REQUIRE(event);
  REQUIRE(rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
  rd_kafka_AclBinding_destroy(acl);
  rd_kafka_destroy(client);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // until the broker knows it
}

/// The error that `work` ends with.
template <typename Work>
Error error_of(Work work) {
  try {
    work();
  } catch (const Error& e) {
    return e;
  }
  FAIL("no error");
  return Error(Blame::kBug, "");
}

struct Fixture {
  KafkaClient client{strict_broker().brokers()};
  KafkaPipeline pipeline{"brokers: \"" + strict_broker().brokers() + "\""};
  TestAttempt attempt;
  std::string topic = client.new_topic("rights");

  std::unique_ptr<BoundSource> source() { return pipeline.source("topic: " + topic + ", schema: {n: bigint}"); }
  std::unique_ptr<BoundSink> sink() { return pipeline.sink("topic: " + topic, kInput); }
};

}  // namespace

TEST_CASE("a topic that may not be looked at is the user's error", "[broker]") {
  Fixture f;
  allow(f.topic, "User:other", RD_KAFKA_ACL_OPERATION_READ);
  const Error reading = error_of([&] { discover(*f.source(), f.attempt); });
  CHECK(reading.blame() == Blame::kUser);
  CHECK_THAT(reading.text(), Contains(f.topic) && Contains("TOPIC_AUTHORIZATION_FAILED") && Contains("needs Read"));
  const Error writing = error_of([&] {
    RunningSink running(*f.sink(), f.attempt);
    f.attempt.pool.settle();
  });
  CHECK(writing.blame() == Blame::kUser);
}

TEST_CASE("a topic that may be looked at but not read or written is the user's error", "[broker]") {
  Fixture f;
  f.client.produce_values(f.topic, {R"({"n":1})"});
  allow(f.topic, "User:ANONYMOUS", RD_KAFKA_ACL_OPERATION_DESCRIBE);
  const Error reading = error_of([&] {
    RunningSource running(*f.source(), f.attempt, discover(*f.source(), f.attempt));
    running.read(1);
  });
  CHECK(reading.blame() == Blame::kUser);
  CHECK_THAT(reading.text(), Contains(f.topic) && Contains("TOPIC_AUTHORIZATION_FAILED"));
  const Error writing = error_of([&] { write_all(*f.sink(), f.attempt, {batch_of(kInput, {"1"})}); });
  CHECK(writing.blame() == Blame::kUser);
  CHECK_THAT(writing.text(), Contains(f.topic) && Contains("TOPIC_AUTHORIZATION_FAILED"));
}
