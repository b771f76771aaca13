#include "tests/support/kafka_client.h"

#include <catch2/catch.hpp>

#include "tests/support/broker_control.h"
#include "tests/support/temporary_folder.h"

using namespace weir;

TEST_CASE("records come back byte for byte", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("fidelity", 2);
  const std::vector<KafkaRecord> written{
      {"k", "v", {{"a", "1"}, {"a", ""}, {"b", std::nullopt}}, 0, 1'700'000'000'123},
      {std::nullopt, "no key", {}, 0, 1},
      {"", "empty key", {}, 0, 2},
      {"no value", std::nullopt, {}, 0, 3},
      {"empty value", "", {}, 0, 4},
      {std::string("\0\xff", 2), std::string("\0\n\xfe", 3), {}, 1, 5},
  };
  kafka.produce(topic, written);
  std::vector<KafkaRecord> read = kafka.consume(topic);
  REQUIRE(read.size() == written.size());
  CHECK(read[1].offset == 1);
  for (KafkaRecord& record : read) record.offset = -1;
  CHECK(read == written);
}

TEST_CASE("a topic has as many partitions as asked for, and is gone after deletion", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("parts", 3);
  CHECK(kafka.partitions(topic) == 3);
  CHECK_THROWS_WITH(kafka.create_topic(topic, 1), Catch::Contains("already exists"));
  kafka.delete_topic(topic);
  CHECK(kafka.partitions(topic) == 0);
}

TEST_CASE("only committed transactions are seen by a read_committed reader", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("transactions");
  KafkaTransaction committed(unique_name("id"));
  committed.produce(topic, {{std::nullopt, "kept"}});
  committed.commit();
  KafkaTransaction aborted(unique_name("id"));
  aborted.produce(topic, {{std::nullopt, "taken back"}});
  aborted.abort();
  kafka.produce_values(topic, {"plain"});
  { KafkaTransaction(unique_name("id")).produce(topic, {{std::nullopt, "left open"}}); }
  kafka.produce_values(topic, {"behind"});

  CHECK(kafka.consume_values(topic) == std::vector<std::string>{"kept", "plain"});
  CHECK(kafka.consume_values(topic, Isolation::kReadUncommitted) ==
        std::vector<std::string>{"kept", "taken back", "plain", "left open", "behind"});
  CHECK(kafka.end_offsets(topic, Isolation::kReadCommitted).at(0) == 5);
  CHECK(kafka.end_offsets(topic).at(0) == 7);
}

TEST_CASE("many records are read to the end", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("many", 4);
  std::vector<std::string> values;
  for (int i = 0; i < 50'000; ++i) values.push_back(std::to_string(i));
  kafka.produce_values(topic, values);
  std::vector<std::string> read = kafka.consume_values(topic);
  std::sort(read.begin(), read.end());
  std::sort(values.begin(), values.end());
  CHECK(read == values);
}

TEST_CASE("positions of a group are committed and read", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("positions", 3), group = unique_name("group");
  CHECK(kafka.committed(group, topic).empty());
  kafka.commit(group, topic, {{0, {12}}, {2, {7}}});
  const auto positions = kafka.committed(group, topic);
  CHECK(positions.size() == 2);
  CHECK(positions.at(0).offset == 12);
  CHECK(positions.at(2).offset == 7);
}

TEST_CASE("records before an offset can be deleted", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("shortened");
  kafka.produce_values(topic, {"a", "b", "c"});
  kafka.delete_records(topic, 0, 2);
  CHECK(kafka.consume_values(topic) == std::vector<std::string>{"c"});
}

TEST_CASE("a broker of its own keeps its records over stop, kill and start", "[broker]") {
  BrokerControl broker;
  KafkaClient kafka(broker.brokers());
  kafka.create_topic("t", 1);
  kafka.produce_values("t", {"before"});
  broker.stop();
  broker.start();
  CHECK(KafkaClient(broker.brokers()).consume_values("t") == std::vector<std::string>{"before"});
  broker.kill();
  broker.start();
  KafkaClient(broker.brokers()).produce_values("t", {"after"});
  CHECK(KafkaClient(broker.brokers()).consume_values("t") == std::vector<std::string>{"before", "after"});
}
