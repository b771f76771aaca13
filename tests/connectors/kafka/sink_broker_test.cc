#include <catch2/catch.hpp>

#include "runtime/api/row_errors.h"
#include "runtime/base/error.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"
#include "tests/support/kafka_client.h"
#include "tests/support/temporary_folder.h"

using namespace weir;
using Catch::Contains;

namespace {

const SchemaPtr kInput = schema_of("id bigint, name varchar");

struct Fixture {
  KafkaClient client;
  KafkaPipeline pipeline{"brokers: \"" + brokers_from_environment() + "\""};
  TestAttempt attempt;
  std::string topic;

  explicit Fixture(int partitions = 1, const std::map<std::string, std::string>& config = {}) {
    topic = client.new_topic("sink", partitions, config);
  }

  std::unique_ptr<BoundSink> sink(const std::string& keys, const SchemaPtr& input = kInput) {
    auto sink = pipeline.sink(keys.find("topic:") == std::string::npos ? "topic: " + topic + ", " + keys : keys, input);
    INFO(pipeline.problems());
    REQUIRE(sink);
    return sink;
  }
  std::vector<std::string> write(const std::string& keys, const std::vector<BatchPtr>& batches,
                                 const SchemaPtr& input = kInput) {
    TestAttempt fresh;
    return write_all(*sink(keys, input), fresh, batches);
  }
  std::vector<KafkaRecord> records() { return client.consume(topic); }
};

}  // namespace

TEST_CASE("rows are written in order, as JSON, without a key", "[broker]") {
  Fixture f;
  f.write("format: json", {batch_of(kInput, {"1|a", "2|null"}), batch_of(kInput, {"3|c"})});
  CHECK(f.client.consume_values(f.topic) ==
        std::vector<std::string>{R"({"id":1,"name":"a"})", R"({"id":2,"name":null})", R"({"id":3,"name":"c"})"});
  CHECK(!f.records()[0].key);
}

TEST_CASE("a key lies in the partition that Java clients choose", "[broker]") {
  Fixture f(7);
  const std::string other = f.client.new_topic("sink", 7);
  std::vector<std::string> rows;
  std::vector<KafkaRecord> records;
  for (int i = 0; i < 500; ++i) {
    rows.push_back(fmt::format("{}|key-{}", i, i));
    records.push_back({.key = fmt::format("key-{}", i), .value = "x"});
  }
  f.write("key: name", {batch_of(kInput, rows)});
  f.client.produce(other, records);
  const auto places = [&](const std::string& topic) {
    std::map<std::string, int> out;
    for (const KafkaRecord& r : f.client.consume(topic)) out[*r.key] = r.partition;
    return out;
  };
  CHECK(places(f.topic) == places(other));
}

TEST_CASE("keys are bytes, text or JSON; null is null", "[broker]") {
  Fixture f;
  const BatchPtr rows = batch_of(kInput, {"1|a", "2|null"});
  const auto keys = [&](const std::string& how) {
    const std::string topic = f.client.new_topic("sink");
    f.write("topic: " + topic + ", " + how, {rows});
    std::vector<std::string> out;
    for (const KafkaRecord& r : f.client.consume(topic)) out.push_back(r.key.value_or("<null>"));
    return out;
  };
  using Keys = std::vector<std::string>;
  CHECK(keys("key: name") == Keys{"a", "<null>"});
  CHECK(keys("key: id") == Keys{"1", "2"});
  CHECK(keys("key: {expr: \"name || '-' || id::varchar\"}") == Keys{"a-1", "<null>"});
  CHECK(keys("key: [id, name]") == Keys{R"({"id":1,"name":"a"})", R"({"id":2,"name":null})"});
  CHECK(keys("key: name, key_format: json") == Keys{R"("a")", "<null>"});
}

TEST_CASE("partition, time and headers by expression", "[broker]") {
  Fixture f(4);
  f.write(
      "partition: \"id % 4\", timestamp: \"1704067200000 + id\", headers: {id: id, name: name, who: \"'weir'\"}, value: "
      "[name]",
      {batch_of(kInput, {"1|a", "2|null"})});
  const auto records = f.records();
  REQUIRE(records.size() == 2);
  const KafkaRecord first{.value = R"({"name":"a"})",
                          .headers = {{"id", "1"}, {"name", "a"}, {"who", "weir"}},
                          .partition = 1,
                          .timestamp = 1704067200001,
                          .offset = 0};
  const KafkaRecord second{.value = R"({"name":null})",
                           .headers = {{"id", "2"}, {"name", std::nullopt}, {"who", "weir"}},
                           .partition = 2,
                           .timestamp = 1704067200002,
                           .offset = 0};
  CHECK(records[0] == first);
  CHECK(records[1] == second);
}

TEST_CASE("records pass through with key, headers, nulls and times as they were", "[broker]") {
  Fixture f;
  const std::string from = f.client.new_topic("sink");
  std::vector<KafkaRecord> records = {
      {.key = "k",
       .value = "v",
       .headers = {{"a", "1"}, {"b", std::nullopt}, {"a", ""}},
       .partition = 0,
       .timestamp = 1704067200123,
       .offset = 0},
      {.key = std::nullopt, .value = "", .partition = 0, .timestamp = 5, .offset = 1},
      {.key = "", .value = std::nullopt, .partition = 0, .timestamp = 1704067200125, .offset = 2},
      {.key = std::string("\0\xff", 2),
       .value = std::string("\xfe\0", 2),
       .partition = 0,
       .timestamp = 1704067200126,
       .offset = 3}};
  f.client.produce(from, records);
  const auto source =
      f.pipeline.source("topic: " + from + ", format: raw, end: latest, metadata: [_key, _timestamp, _headers]");
  REQUIRE(source);
  const CollectedRows rows = read_all(*source, f.attempt);
  f.write("format: raw, key: _key, timestamp: _timestamp, headers: _headers", rows.batches, source->ports()[0].schema);
  CHECK(f.records() == records);
}

TEST_CASE("rows that cannot be written follow on_error", "[broker]") {
  Fixture f(1, {{"max.message.bytes", "2000"}});
  const std::string large(3000, 'x');
  const BatchPtr rows = batch_of(kInput, {"1|a", "2|" + large, "3|c"});
  CHECK_THROWS_WITH(f.write("", {rows}), Contains("too large for topic " + f.topic) &&
                                             Contains("max.message.bytes is 2000") && Contains("on_error"));
  CHECK(f.write("on_error: skip, key: name, value: [id, name]", {rows}).empty());
  CHECK(f.records().size() == 2);
  const auto errors = f.write("on_error: emit, key: id", {rows});
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], Contains("too large") &&
                            Contains(R"("step":"out","topic":null,"partition":null,"offset":null,"key":"Mg==","value":")"));
  CHECK(f.records().size() == 4);
}

TEST_CASE("the headers of a record count for its size", "[broker]") {
  Fixture f(1, {{"max.message.bytes", "2000"}});
  const std::string large(3000, 'x');
  const BatchPtr rows = batch_of(kInput, {"1|a", "2|" + large, "3|c"});
  const std::string keys = "value: [id], headers: {n: name}";
  CHECK_THROWS_WITH(f.write(keys, {rows}), Contains("too large for topic " + f.topic));
  CHECK(f.write(keys + ", on_error: emit", {rows}).size() == 1);
  CHECK(f.records().size() == 2);
}

TEST_CASE("many rows that are small enough one by one are not refused together", "[broker]") {
  Fixture f(1, {{"max.message.bytes", "2000"}});
  std::vector<std::string> rows;
  for (int i = 0; i < 500; ++i) rows.push_back(fmt::format("{}|{}", i, std::string(100, 'x')));
  f.write("", {batch_of(kInput, rows)});
  CHECK(f.records().size() == 500);
}

TEST_CASE("batches stay below what the topic takes, whatever batch.size the file asks for", "[broker]") {
  Fixture f(1, {{"max.message.bytes", "2000"}});
  f.pipeline =
      KafkaPipeline("brokers: \"" + brokers_from_environment() + "\", producer: {batch.size: 900000, linger.ms: 50}");
  std::vector<std::string> rows;
  for (int i = 0; i < 500; ++i) rows.push_back(fmt::format("{}|{}", i, std::string(100, 'x')));
  f.write("", {batch_of(kInput, rows)});
  CHECK(f.records().size() == 500);
}

TEST_CASE("a row that the client library does not take ends an exactly-once sink with the row's name", "[broker]") {
  Fixture f;
  f.pipeline = KafkaPipeline("brokers: \"" + brokers_from_environment() + "\", producer: {message.max.bytes: 2000}");
  const auto sink = f.sink("guarantee: exactly_once");
  f.attempt.context().job = f.topic;
  sink->join_authority(f.attempt.context());
  const auto authority = sink->create_authority(f.attempt.context());
  authority->open();
  authority->begin(Epoch{0});
  authority->begin(Epoch{1});
  std::vector<std::string> rows;
  for (int i = 0; i < 2000; ++i) rows.push_back(fmt::format("{}|{}", i, std::string(i == 3 ? 5000 : 100, 'x')));
  RunningSink running(*sink, f.attempt);
  CHECK_THROWS_WITH(running.write(batch_of(kInput, rows)),
                    Contains("message.max.bytes of connection main") && Contains(R"("id":3)"));
}

TEST_CASE("a partition that is not there, a topic that is not allowed and time 0 are errors of the row", "[broker]") {
  Fixture f(2);
  const BatchPtr rows = batch_of(kInput, {"1|a", "2|b", "-1|c"});
  CHECK(f.write("partition: id, on_error: skip", {rows}).empty());
  CHECK(f.records().size() == 1);
  const auto partition = f.write("partition: id, on_error: emit", {rows});
  REQUIRE(partition.size() == 2);
  CHECK_THAT(partition[0], Contains("has no partition 2, it has 2"));
  const auto topic = f.write("topic: {expr: \"case id when 1 then '" + f.topic + "' when 2 then 'other' end\"}, topics: [" +
                                 f.topic + "], on_error: emit",
                             {rows});
  REQUIRE(topic.size() == 2);
  CHECK_THAT(topic[0], Contains("topic 'other' is not one of `topics`"));
  CHECK_THAT(topic[1], Contains("the topic is null"));
  const auto time = f.write("timestamp: \"id - 1\", on_error: emit", {rows});
  REQUIRE(time.size() == 2);  // 0 and -2
  CHECK_THAT(time[0], Contains("takes 0 for now"));
}

TEST_CASE(
    "early results of a long window fit a topic that takes no times far ahead; a time that does not says how to choose "
    "another",
    "[broker]") {
  Fixture f(1, {{"message.timestamp.after.max.ms", "3600000"}});
  const SchemaPtr input = schema_of("id bigint, at timestamp", "at");
  const BatchPtr day_ahead = batch_of(input, {"1|1704153600000000"});
  CHECK(f.write("value: [id], on_error: emit", {day_ahead}, input).empty());
  CHECK(f.records()[0].timestamp == 1704067200000);
  CHECK_THROWS_WITH(f.write("timestamp: at", {day_ahead}, input),
                    Contains("message.timestamp.after.max.ms") &&
                        Contains("2024-01-02T00:00:00.000Z, given by timestamp: at") && Contains("\"now()\""));
}

TEST_CASE("rows go to the topics that the expression names", "[broker]") {
  Fixture f;
  const std::string other = f.client.new_topic("sink", 3);
  f.write("topic: {expr: \"case when id > 1 then '" + other + "' else '" + f.topic + "' end\"}, topics: [" + f.topic + ", " +
              other + "]",
          {batch_of(kInput, {"1|a", "2|b", "3|c"})});
  CHECK(f.records().size() == 1);
  CHECK(f.client.consume(other).size() == 2);
}

TEST_CASE("an errors stream is written as it came", "[broker]") {
  Fixture f;
  ErrorBatchBuilder builder;
  builder.append({.reason = "bad", .step = "in", .topic = "t", .partition = 3, .offset = 17, .key = "k", .value = "{oops"});
  builder.append({.reason = "worse", .step = "in"});
  f.write("format: raw", {builder.finish()}, error_schema());
  const auto records = f.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].key == "k");
  CHECK(records[0].value == "{oops");
  CHECK(records[0].headers == decltype(records[0].headers){
                                  {"topic", "t"}, {"partition", "3"}, {"offset", "17"}, {"step", "in"}, {"reason", "bad"}});
  CHECK(!records[1].key);
  CHECK(!records[1].value);
  CHECK(records[1].headers == decltype(records[1].headers){{"topic", std::nullopt},
                                                           {"partition", std::nullopt},
                                                           {"offset", std::nullopt},
                                                           {"step", "in"},
                                                           {"reason", "worse"}});
}

TEST_CASE("sink topics that do not exist are all named with the command that makes them", "[broker]") {
  Fixture f;
  const auto sink = f.sink("topic: {expr: name}, topics: [no-such-a, no-such-b]");
  try {
    RunningSink running(*sink, f.attempt);
    f.attempt.pool.settle();
    FAIL("nothing was missed");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kUser);
    CHECK_THAT(e.text(), Contains("no topic 'no-such-a'") && Contains("tools/kafka topic create no-such-b"));
  }
}

TEST_CASE("a sink waits while too much is under way, and loses nothing", "[broker]") {
  Fixture f(4);
  f.attempt.context().memory = 1 << 20;  // four MiB under way at most
  std::vector<std::string> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back(fmt::format("{}|{}", i, std::string(1000, 'x')));
  const BatchPtr batch = batch_of(kInput, rows);
  const auto sink = f.sink("key: id");
  RunningSink a(*sink, f.attempt), b(*sink, f.attempt, 1);
  for (int i = 0; i < 30; ++i) a.write(batch), b.write(batch);
  a.barrier();
  b.barrier();
  CHECK(a.counters().rows_out.get() == 30'000);
  CHECK(f.records().size() == 60'000);
}

TEST_CASE("a sink without guarantee does not wait at a barrier", "[broker]") {
  Fixture f;
  const auto sink = f.sink("guarantee: none");
  CHECK(sink->guarantee() == "none");
  RunningSink running(*sink, f.attempt);
  running.write(batch_of(kInput, {"1|a"}));
  running.barrier();
  running.end();
  CHECK(f.records().size() == 1);
}

TEST_CASE("upserts into a compacted topic: values and tombstones by key, a row without a key is an error", "[broker]") {
  Fixture f(1, {{"cleanup.policy", "compact"}});
  using enum RowKind;
  const auto changes = [](const std::vector<std::string>& rows, std::vector<RowKind> kinds) {
    return batch_of(kInput, rows, std::move(kinds));
  };
  const BatchPtr first = changes({"1|a", "2|b", "2|b", "2|c"}, {kInsert, kInsert, kUpdateBefore, kUpdateAfter});
  const BatchPtr second = changes({"1|a", "2|c", "2|d"}, {kDelete, kUpdateBefore, kUpdateAfter});
  f.write("key: id, changelog: upsert", {first, second}, first->schema());
  std::vector<std::string> found;
  for (const KafkaRecord& r : f.records()) found.push_back(r.key.value_or("null") + " " + r.value.value_or("null"));
  CHECK(found == std::vector<std::string>{R"(1 {"id":1,"name":"a"})", R"(2 {"id":2,"name":"b"})", R"(2 {"id":2,"name":"c"})",
                                          "1 null", R"(2 {"id":2,"name":"d"})"});
  const auto errors =
      f.write("key: name, changelog: upsert, on_error: emit", {changes({"1|null"}, {kDelete})}, first->schema());
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], Contains("the key is null"));
}
