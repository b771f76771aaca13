#include "tests/broker/exactly_once_job.h"
#include "tests/support/broker_control.h"
#include "tests/support/kafka_produce.h"

using namespace weir;
using Catch::Contains;

// A principal without one of the rights that exactly once needs: the error names it, and the job does not restart.

namespace {

/// A broker with an authorizer: everybody may do everything until somebody is given a right to it.
BrokerControl& strict_broker() {
  static BrokerControl broker({"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                               "allow.everyone.if.no.acl.found=true"});
  return broker;
}

void allow(rd_kafka_ResourceType_t type, const std::string& name, rd_kafka_AclOperation_t operation) {
  rd_kafka_t* client = new_kafka(RD_KAFKA_PRODUCER, {{"bootstrap.servers", strict_broker().brokers()}});
  char text[256];
  rd_kafka_AclBinding_t* acl = rd_kafka_AclBinding_new(type, name.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL, "User:ANONYMOUS", "*", operation,
                                                       RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, text, sizeof text);
  REQUIRE(acl);
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

}  // namespace

TEST_CASE("missing rights are named and are no reason to restart", "[broker][eos]") {
  ExactlyOnceJob job(strict_broker().brokers());
  job.feed(0, 10);
  std::string wanted;
  SECTION("Read on the topic of the marker") {
    allow(RD_KAFKA_RESOURCE_TOPIC, job.out, RD_KAFKA_ACL_OPERATION_WRITE);
    allow(RD_KAFKA_RESOURCE_TOPIC, job.out, RD_KAFKA_ACL_OPERATION_DESCRIBE);
    wanted = "Read on topic " + job.out;
  }
  SECTION("Write on the topic") {
    allow(RD_KAFKA_RESOURCE_TOPIC, job.out, RD_KAFKA_ACL_OPERATION_READ);
    wanted = "TOPIC_AUTHORIZATION_FAILED";
  }
  SECTION("Read on the group") {
    allow(RD_KAFKA_RESOURCE_GROUP, "weir-" + job.name, RD_KAFKA_ACL_OPERATION_DESCRIBE);
    wanted = "group weir-" + job.name;
  }
  SECTION("Describe on the group") {
    allow(RD_KAFKA_RESOURCE_GROUP, "weir-" + job.name, RD_KAFKA_ACL_OPERATION_DELETE);
    wanted = "group weir-" + job.name;
  }
  const ProcessResult end = job.run();
  CHECK(end.exit_code == 3);
  CHECK_THAT(end.errors, Contains(wanted) && !Contains("restarting"));
}
