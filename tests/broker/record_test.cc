#include <catch2/catch.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

constexpr std::int64_t kTime = 1'704'067'200'123;

KafkaRecord record(std::optional<std::string> key, std::optional<std::string> value, int partition,
                   std::vector<std::pair<std::string, std::optional<std::string>>> headers = {}) {
  KafkaRecord r;
  r.key = std::move(key);
  r.value = std::move(value);
  r.headers = std::move(headers);
  r.partition = partition;
  r.timestamp = kTime + partition;
  return r;
}

}  // namespace

TEST_CASE("records pass through byte for byte", "[broker]") {
  KafkaClient kafka;
  const std::map<std::string, std::string> any_time = {{"message.timestamp.after.max.ms", "9223372036854775807"}};
  const std::string in = kafka.new_topic("records-in", 2, any_time), out = kafka.new_topic("records-out", 2, any_time);
  const std::string bytes("\0\xff\xfe{\"\n\r\\", 8);
  std::vector<KafkaRecord> records = {
      record("k", "v", 0),
      record(std::nullopt, "null key", 0),
      record("", "empty key", 0),
      record("null value", std::nullopt, 0),
      record("empty value", "", 0),
      record(std::nullopt, std::nullopt, 0),
      record(bytes, bytes, 1, {{"h", bytes}}),
      record("headers", "v", 1, {{"a", "1"}, {"b", std::nullopt}, {"a", "2"}, {"", "no name"}, {"c", ""}, {"a", "1"}}),
      record("large", std::string(300'000, '\x80'), 1),
  };
  records[1].timestamp = 1;                  // 1970
  records[2].timestamp = 4'102'444'800'000;  // 2100
  kafka.produce(in, records);
  const PipelineFolder folder(
      R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in: { type: kafka, connection: main, topic: )" +
      in + R"(, format: raw, schema: { value: bytea }, end: latest, metadata: [_key, _partition, _timestamp, _headers] }
sinks:
  out: { from: in, type: kafka, connection: main, topic: )" +
      out + R"(, format: raw, value: [value], key: _key, headers: _headers, timestamp: _timestamp, partition: _partition }
)");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const std::vector<KafkaRecord> expected = kafka.consume(in), found = kafka.consume(out);
  REQUIRE(expected.size() == records.size());
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i, expected[i].key.value_or("<null>"));
    CHECK(found[i].key == expected[i].key);
    CHECK((found[i].value == expected[i].value));
    CHECK(found[i].headers == expected[i].headers);
    CHECK(found[i].timestamp == expected[i].timestamp);
    CHECK((found[i] == expected[i]));
  }
}

TEST_CASE("metadata columns travel with * and are no part of the value", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("metadata-in"), out = kafka.new_topic("metadata-out");
  kafka.produce(in, {record("k\xc3\xa4", "{\"n\":7}", 0, {{"h", "x"}})});
  const PipelineFolder folder(
      R"y(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in: { type: kafka, connection: main, topic: )y" +
      in + R"y(, schema: { n: bigint }, end: latest, metadata: [_key, _topic, _partition, _offset, _timestamp, _headers] }
steps:
  named: { from: in, select: { "*": true, k: "convert_from(_key, 'UTF8')", o: _offset, at: _timestamp, t: _topic } }
sinks:
  out: { from: named, type: kafka, connection: main, topic: )y" +
      out + R"y(, key: k, headers: { kind: "'n' || n", none: "null::varchar" } }
)y");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const std::vector<KafkaRecord> found = kafka.consume(out);
  REQUIRE(found.size() == 1);
  CHECK(found[0].value == "{\"n\":7,\"k\":\"k\xc3\xa4\",\"o\":0,\"at\":\"2024-01-01T00:00:00.123Z\",\"t\":\"" + in + "\"}");
  CHECK(found[0].key == "k\xc3\xa4");
  CHECK(found[0].headers ==
        std::vector<std::pair<std::string, std::optional<std::string>>>{{"kind", "n7"}, {"none", std::nullopt}});
}

namespace {

/// Good, bad, good in partition 1.
struct PoisonedTopic {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("poison", 2), out = kafka.new_topic("poison-out"),
                    bad = kafka.new_topic("poison-bad");
  PoisonedTopic() {
    kafka.produce(in, {record("a", R"({"n":1})", 1), record("b\xff", "{\"n\":\xfe", 1, {{"h", "x"}}),
                       record("c", R"({"n":3})", 1), record("d", R"({"n":"x"})", 0)});
  }
  PipelineFolder folder(const std::string& on_error, const std::string& more_sinks = "") const {
    return PipelineFolder(R"y(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources: { in: { type: kafka, connection: main, topic: )y" +
                          in + ", schema: { n: bigint }, end: latest, on_error: " + on_error + R"y( } }
sinks:
  out: { from: in, type: kafka, connection: main, topic: )y" +
                          out + " }\n" + more_sinks);
  }
};

}  // namespace

TEST_CASE("a record that cannot be read ends the job and is named", "[broker]") {
  const PoisonedTopic topic;
  const ProcessResult result = topic.folder("fail").run();
  INFO(result.errors);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains(topic.in + "-1@1") || Contains(topic.in + "-0@0"));
  CHECK_THAT(result.errors, Contains("source in"));
}

TEST_CASE("a record that cannot be read is skipped and counted", "[broker]") {
  PoisonedTopic topic;
  const ProcessResult result = topic.folder("skip").run();
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(members_n(topic.kafka.consume_values(topic.out)) == std::vector<std::int64_t>{1, 3});
  CHECK_THAT(result.errors, Contains("2 rows in, 2 rows out, 2 errors"));
}

TEST_CASE("a record that cannot be read goes as it was to a topic of its own, with place and reason", "[broker]") {
  PoisonedTopic topic;
  const PipelineFolder folder = topic.folder(
      "emit", "  bad: { from: in.errors, type: kafka, connection: main, topic: " + topic.bad + ", format: raw }\n");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(members_n(topic.kafka.consume_values(topic.out)) == std::vector<std::int64_t>{1, 3});
  std::vector<KafkaRecord> bad = topic.kafka.consume(topic.bad);
  REQUIRE(bad.size() == 2);
  std::sort(bad.begin(), bad.end(), [](const KafkaRecord& a, const KafkaRecord& b) { return a.key < b.key; });
  CHECK(bad[0].key == "b\xff");
  CHECK(bad[0].value == "{\"n\":\xfe");
  CHECK(bad[1].value == R"({"n":"x"})");
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : bad[0].headers) headers[name] = value.value_or("<null>");
  CHECK(headers["topic"] == topic.in);
  CHECK(headers["partition"] == "1");
  CHECK(headers["offset"] == "1");
  CHECK(headers["step"] == "in");
  CHECK(!headers["reason"].empty());
}

}  // namespace weir
