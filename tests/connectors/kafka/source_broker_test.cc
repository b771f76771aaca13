#include <catch2/catch.hpp>

#include "runtime/base/error.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"
#include "tests/support/kafka_client.h"
#include "tests/support/temporary_folder.h"

using namespace weir;
using Catch::Contains;

namespace {

/// A topic on the real broker, and sources that read it.
struct Fixture {
  KafkaClient client;
  KafkaPipeline pipeline{"brokers: \"" + brokers_from_environment() + "\""};
  TestAttempt attempt;
  std::string topic;

  explicit Fixture(int partitions = 1, const std::map<std::string, std::string>& config = {}) {
    topic = client.new_topic("source", partitions, config);
  }

  std::unique_ptr<BoundSource> source(const std::string& keys) {
    auto source =
        pipeline.source(keys.find("topic:") == std::string::npos && keys.find("topic_pattern:") == std::string::npos
                            ? "topic: " + topic + ", " + keys
                            : keys);
    INFO(pipeline.problems());
    REQUIRE(source);
    return source;
  }
  std::vector<std::string> read(const std::string& keys) { return read_all(*source(keys), attempt).rows; }
  void numbers(int from, int to, int partition = 0) {
    std::vector<std::string> values;
    for (int i = from; i < to; ++i) values.push_back(fmt::format(R"({{"n":{}}})", i));
    client.produce_values(topic, values, partition);
  }
  std::vector<std::string> expected(int from, int to) {
    std::vector<std::string> rows;
    for (int i = from; i < to; ++i) rows.push_back(fmt::format(R"({{"n":{}}})", i));
    return rows;
  }
};

const std::string kNumbers = "schema: {n: bigint}, end: latest";

}  // namespace

TEST_CASE("a bounded source reads all partitions and ends", "[broker]") {
  Fixture f(4);
  for (int p = 0; p < 4; ++p) f.numbers(p * 1000, p * 1000 + 1000, p);
  auto rows = f.read(kNumbers);
  CHECK(rows.size() == 4000);
  std::sort(rows.begin(), rows.end());
  CHECK(std::unique(rows.begin(), rows.end()) == rows.end());
}

TEST_CASE("rows of one partition keep their order", "[broker]") {
  Fixture f;
  f.numbers(0, 5000);
  CHECK(f.read(kNumbers) == f.expected(0, 5000));
}

TEST_CASE("start and end name offsets", "[broker]") {
  Fixture f;
  f.numbers(0, 10);
  CHECK(f.read("schema: {n: bigint}, start: {offsets: {0: 3}}, end: {offsets: {0: 7}}") == f.expected(3, 7));
  CHECK(f.read("schema: {n: bigint}, start: latest, end: latest").empty());
  CHECK_THROWS_WITH(f.read("schema: {n: bigint}, start: {offsets: {0: 11}}, end: latest"),
                    Contains("offset 11") && Contains("0 to 10"));
  CHECK_THROWS_WITH(f.read("schema: {n: bigint}, start: {offsets: {1: 0}}, end: latest"), Contains("partition 1"));
}

TEST_CASE("start and end name times", "[broker]") {
  Fixture f;
  std::vector<KafkaRecord> records;
  for (int i = 0; i < 10; ++i)
    records.push_back({.value = fmt::format(R"({{"n":{}}})", i), .partition = 0, .timestamp = 1704067200000 + i * 1000});
  f.client.produce(f.topic, records);
  CHECK(f.read("schema: {n: bigint}, start: {timestamp: \"2024-01-01T00:00:04Z\"}, end: {timestamp: 1704067206000}") ==
        f.expected(4, 6));
  CHECK(f.read("schema: {n: bigint}, start: {timestamp: 1704067260000}, end: latest").empty());
}

TEST_CASE("a time before 1970 is before all records, as start and as end", "[broker]") {
  Fixture f;
  f.numbers(0, 3);
  const std::string time = GENERATE("\"1969-12-31T23:59:59.999Z\"", "\"1969-12-31T23:59:59.998Z\"", "-1", "-2",
                                    "\"1900-01-01T00:00:00Z\"", "\"1969-12-31T23:59:59.9995Z\"", "0");
  INFO(time);
  CHECK(f.read("schema: {n: bigint}, end: latest, start: {timestamp: " + time + "}") == f.expected(0, 3));
  CHECK(f.read("schema: {n: bigint}, end: {timestamp: " + time + "}").empty());
}

TEST_CASE("a time between two milliseconds is behind the first of them", "[broker]") {
  Fixture f;
  std::vector<KafkaRecord> records;
  for (int i = 0; i < 4; ++i)
    records.push_back({.value = fmt::format(R"({{"n":{}}})", i), .partition = 0, .timestamp = 1704067200000 + i});
  f.client.produce(f.topic, records);
  CHECK(f.read("schema: {n: bigint}, start: {timestamp: \"2024-01-01T00:00:00.0005Z\"}, end: {timestamp: "
               "\"2024-01-01T00:00:00.0021Z\"}") == f.expected(1, 3));
}

TEST_CASE("offset_lost decides for every position to go on from that was deleted", "[broker]") {
  Fixture f;
  f.numbers(0, 50);
  f.client.delete_records(f.topic, 0, 30);
  const std::string group = unique_name("group");
  f.client.commit(group, f.topic, {{0, {5}}});
  const std::pair<std::string, std::string> cases[] = {
      {"group: " + group + ", start: committed", "group " + group},
      {"group: " + group + ", start: {committed: earliest}", "group " + group},
      {"start: {offsets: {0: 5}}", "start: {offsets}"},
      {"start: {offsets: {" + f.topic + ": {0: 5}}}", "start: {offsets}"}};
  for (const auto& [start, by] : cases) {
    INFO(start);
    const std::string keys = kNumbers + ", " + start;
    CHECK_THROWS_WITH(f.read(keys), Contains(by) &&
                                        Contains("wants 5 of " + f.topic +
                                                 "-0 next, but only 30 to 50 are there: 25 records were deleted") &&
                                        Contains("offset_lost: earliest goes on at 30, latest at 50"));
    CHECK(f.read(keys + ", offset_lost: earliest") == f.expected(30, 50));
    CHECK(f.read(keys + ", offset_lost: latest").empty());
  }
}

TEST_CASE("a group that stands behind the end is named, and offset_lost does not hide it", "[broker]") {
  Fixture f;
  f.numbers(0, 5);
  const std::string group = unique_name("group");
  f.client.commit(group, f.topic, {{0, {9}}});
  CHECK_THROWS_WITH(f.read(kNumbers + ", offset_lost: earliest, start: committed, group: " + group),
                    Contains("group " + group + " has committed 9") && Contains("there are 0 to 5"));
}

TEST_CASE("splits that come later are read by a client whose limits are for all of them", "[broker]") {
  Fixture f(40);
  for (int p = 0; p < 40; ++p) f.numbers(p * 10, p * 10 + 10, p);
  f.attempt.context().memory = 16 << 20;
  const auto source = f.source(kNumbers);
  std::vector<SplitState> all = discover(*source, f.attempt);
  const std::vector<SplitState> first(all.begin(), all.begin() + 1);
  RunningSource running(*source, f.attempt, first);
  running.read(4);
  running.reader().add_splits({all.begin() + 1, all.end()});
  running.read_to_end();
  std::sort(running.out.rows.begin(), running.out.rows.end());
  CHECK(running.out.rows.size() == 400);
  CHECK(std::unique(running.out.rows.begin(), running.out.rows.end()) == running.out.rows.end());
}

TEST_CASE("start: committed begins where the group stands, and fails where it does not", "[broker]") {
  Fixture f(2);
  f.numbers(0, 10, 0);
  const std::string group = unique_name("group");
  f.client.commit(group, f.topic, {{0, {6}}});
  const std::string keys = kNumbers + ", group: " + group;
  CHECK_THROWS_WITH(f.read(keys + ", start: committed"), Contains("has committed nothing for " + f.topic + "-1"));
  CHECK(f.read(keys + ", start: {committed: earliest}") == f.expected(6, 10));
}

TEST_CASE("a bounded source ends at committed, aborted and open transactions", "[broker]") {
  Fixture f;
  SECTION("committed: the marker behind the last record is no row") {
    KafkaTransaction t(unique_name("t"));
    t.produce(f.topic, {{.value = R"({"n":0})", .partition = 0}, {.value = R"({"n":1})", .partition = 0}});
    t.commit();
    for (int i = 0; i < 100 && f.client.end_offsets(f.topic, Isolation::kReadCommitted).at(0) < 3; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the broker answers before its markers can be read
    const auto source = f.source(kNumbers);
    auto splits = discover(*source, f.attempt);
    CHECK(splits[0].end == 3);
    RunningSource running(*source, f.attempt, splits);
    running.read_to_end();
    CHECK(running.out.rows == f.expected(0, 2));
    CHECK(running.reader().splits()[0].next == 3);
    CHECK(running.reader().splits()[0].ended);
  }
  SECTION("aborted: its records are no rows, but for read_uncommitted") {
    f.numbers(0, 2);
    KafkaTransaction t(unique_name("t"));
    t.produce(f.topic, {{.value = R"({"n":2})", .partition = 0}, {.value = R"({"n":3})", .partition = 0}});
    t.abort();
    CHECK(f.read(kNumbers) == f.expected(0, 2));
    CHECK(f.read(kNumbers + ", isolation: read_uncommitted") == f.expected(0, 4));
  }
  SECTION("open: the source ends at the last stable offset") {
    f.numbers(0, 5);
    KafkaTransaction t(unique_name("t"));
    t.produce(f.topic, {{.value = R"({"n":5})", .partition = 0}});
    f.numbers(6, 8);
    CHECK(f.read(kNumbers) == f.expected(0, 5));
    t.abort();
  }
}

TEST_CASE("a reader goes on from the positions of a snapshot", "[broker]") {
  Fixture f;
  f.numbers(0, 6000);
  const auto source = f.source(kNumbers);
  std::vector<SplitState> splits;
  std::vector<std::string> rows;
  {
    RunningSource first(*source, f.attempt, discover(*source, f.attempt));
    first.read(1);
    rows = first.out.rows;
    splits = first.reader().splits();
    CHECK(splits[0].next == static_cast<std::int64_t>(rows.size()));
  }
  f.numbers(6000, 6010);
  RunningSource second(*source, f.attempt, restore(*source, f.attempt, splits));
  second.read_to_end();
  rows.insert(rows.end(), second.out.rows.begin(), second.out.rows.end());
  CHECK(rows == f.expected(0, 6000));  // the end stays that of the first start
}

TEST_CASE("--continue resolves the end anew", "[broker]") {
  Fixture f;
  f.numbers(0, 3);
  const auto source = f.source(kNumbers);
  RunningSource first(*source, f.attempt, discover(*source, f.attempt));
  first.read_to_end();
  f.numbers(3, 5);
  CHECK(restore(*source, f.attempt, first.reader().splits())[0].ended);
  f.attempt.context().read_on = true;
  RunningSource second(*source, f.attempt, restore(*source, f.attempt, first.reader().splits()));
  second.read_to_end();
  CHECK(second.out.rows == f.expected(3, 5));
}

TEST_CASE("rows that arrive later wake the reader", "[broker]") {
  Fixture f;
  const auto source = f.source("schema: {n: bigint}");
  RunningSource running(*source, f.attempt, discover(*source, f.attempt));
  while (running.poll() == InputStatus::kMoreAvailable) {
  }
  f.numbers(0, 3);
  running.read(3);
  CHECK(running.out.rows == f.expected(0, 3));
  for (int i = 0; i < 100 && running.out.caught_up_calls == 0; ++i, running.poll())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(running.out.caught_up_calls > 0);
}

TEST_CASE("a topic that does not exist is named with the command that makes it", "[broker]") {
  Fixture f;
  const auto source = f.source("topic: no-such-topic");
  CHECK_THROWS_WITH(discover(*source, f.attempt),
                    Contains("there is no topic 'no-such-topic'") && Contains("tools/kafka topic create no-such-topic"));
}

TEST_CASE("topics by pattern", "[broker]") {
  Fixture f;
  const std::string one = f.topic + "-one", two = f.topic + "-two";
  f.client.create_topic(one, 1);
  const auto source = f.source("topic_pattern: \"" + f.topic + "-.*\", schema: {n: bigint}");
  const auto enumerator = source->create_enumerator(f.attempt.context());
  auto known = enumerator->discover({});
  REQUIRE(known.size() == 1);
  CHECK(known[0].topic == one);
  f.client.create_topic(two, 2);
  const auto fresh = enumerator->discover(known);
  CHECK(fresh.size() == 2);
  CHECK(fresh[0].topic == two);
}

TEST_CASE("metadata columns show records as they are", "[broker]") {
  Fixture f;
  f.client.produce(f.topic, {{.key = "k",
                              .value = "v",
                              .headers = {{"a", "1"}, {"a", std::nullopt}, {"", ""}},
                              .partition = 0,
                              .timestamp = 1704067200123},
                             {.key = std::nullopt, .value = "", .partition = 0, .timestamp = 1},
                             {.key = "", .value = std::nullopt, .partition = 0, .timestamp = 1}});
  CHECK(
      f.read("format: raw, schema: {value: varchar}, end: latest, metadata: [_key, _partition, _offset, _timestamp, "
             "_headers]") ==
      std::vector<std::string>{
          R"({"value":"v","_key":"aw==","_partition":0,"_offset":0,"_timestamp":"2024-01-01T00:00:00.123Z","_headers":[{"key":"a","value":"MQ=="},{"key":"a","value":null},{"key":"","value":""}]})",
          R"({"value":"","_key":null,"_partition":0,"_offset":1,"_timestamp":"1970-01-01T00:00:00.001Z","_headers":[]})",
          R"({"value":null,"_key":"","_partition":0,"_offset":2,"_timestamp":"1970-01-01T00:00:00.001Z","_headers":[]})"});
}

TEST_CASE("a record that cannot be read follows on_error", "[broker]") {
  Fixture f;
  f.client.produce(f.topic, {{.value = R"({"n":0})", .partition = 0},
                             {.key = "k", .value = "{oops", .partition = 0},
                             {.value = R"({"n":2})", .partition = 0}});
  CHECK_THROWS_WITH(f.read(kNumbers), Contains(f.topic + "-0@1") && Contains("{oops") && Contains("on_error"));
  const std::vector<std::string> rows = {R"({"n":0,"_offset":0})", R"({"n":2,"_offset":2})"};
  CHECK(f.read(kNumbers + ", on_error: skip, metadata: [_offset]") == rows);
  const auto source = f.source(kNumbers + ", on_error: emit, metadata: [_offset]");
  const CollectedRows out = read_all(*source, f.attempt);
  CHECK(out.rows == rows);
  REQUIRE(out.errors.size() == 1);
  CHECK_THAT(out.errors[0], Contains(R"("step":"in","topic":")" + f.topic +
                                     R"(","partition":0,"offset":1,"key":"aw==","value":"e29vcHM=")"));
}

TEST_CASE("a null value under a value format follows tombstone", "[broker]") {
  Fixture f;
  f.client.produce(f.topic, {{.value = R"({"n":0})", .partition = 0},
                             {.key = "k", .value = std::nullopt, .partition = 0},
                             {.value = R"({"n":2})", .partition = 0}});
  const std::string keys = kNumbers + ", metadata: [_offset], tombstone: ";
  CHECK_THROWS_WITH(f.read(keys + "fail"), Contains(f.topic + "-0@1") && Contains("the value is null"));
  CHECK(f.read(keys + "skip") == std::vector<std::string>{R"({"n":0,"_offset":0})", R"({"n":2,"_offset":2})"});
  CHECK(f.read(keys + "row") ==
        std::vector<std::string>{R"({"n":0,"_offset":0})", R"({"n":null,"_offset":1})", R"({"n":2,"_offset":2})"});
}

TEST_CASE("a position that retention deleted follows offset_lost", "[broker]") {
  Fixture f;
  f.numbers(0, 10);
  const std::vector<SplitState> splits = {{.topic = f.topic, .next = 2}};
  f.client.delete_records(f.topic, 0, 5);
  CHECK_THROWS_WITH(restore(*f.source(kNumbers), f.attempt, splits),
                    Contains("wants 2 of") && Contains("5 to 10 are there") && Contains("3 records"));
  CHECK(restore(*f.source(kNumbers + ", offset_lost: earliest"), f.attempt, splits)[0].next == 5);
  CHECK(restore(*f.source(kNumbers + ", offset_lost: latest"), f.attempt, splits)[0].next == 10);
}

TEST_CASE("a topic that was made again is refused, or read from its beginning", "[broker]") {
  Fixture f;
  f.numbers(0, 10);
  const auto source = f.source("schema: {n: bigint}");
  RunningSource running(*source, f.attempt, discover(*source, f.attempt));
  running.read(10);
  auto splits = running.reader().splits();
  CHECK(restore(*source, f.attempt, splits) == splits);
  f.client.delete_topic(f.topic);
  f.client.create_topic(f.topic, 1);
  SECTION("shorter than the position") { f.numbers(0, 3); }
  SECTION("longer than the position, but with other records") { f.numbers(100, 120); }
  CHECK_THROWS_WITH(restore(*source, f.attempt, splits), Contains("deleted and made again"));
  const auto again = restore(*f.source("schema: {n: bigint}, topic_recreated: earliest"), f.attempt, splits);
  CHECK(again[0].next == 0);
  CHECK(!again[0].ended);
}

TEST_CASE("positions are committed to the group after a checkpoint", "[broker]") {
  Fixture f;
  f.numbers(0, 10);
  const std::string group = unique_name("group");
  const auto source = f.source(kNumbers + ", group: " + group);
  RunningSource running(*source, f.attempt, discover(*source, f.attempt));
  running.read_to_end();
  running.reader().on_committed(Epoch{1}, running.reader().splits());
  for (int i = 0; i < 100 && f.client.committed(group, f.topic).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(f.client.committed(group, f.topic).at(0).offset == 10);
}

TEST_CASE("a broker that is not there is an error of the environment", "[broker]") {
  KafkaPipeline pipeline("brokers: \"127.0.0.1:1\", properties: {socket.timeout.ms: 1000}");
  TestAttempt attempt;
  const auto source = pipeline.source("topic: t");
  REQUIRE(source);
  try {
    discover(*source, attempt);
    FAIL("found topics without a broker");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kEnvironment);
    CHECK_THAT(e.text(), Contains("is a broker running"));
  }
}

TEST_CASE("a split that ended keeps its end, also when its records are gone", "[broker]") {
  Fixture f;
  f.numbers(0, 10);
  const auto source = f.source("schema: {n: bigint}, end: {offsets: {0: 5}}");
  RunningSource running(*source, f.attempt, discover(*source, f.attempt));
  running.read_to_end();
  const auto ended = running.reader().splits();
  f.client.delete_records(f.topic, 0, 8);
  CHECK(restore(*source, f.attempt, ended) == ended);
  CHECK_THROWS_WITH(restore(*f.source("schema: {n: bigint}, end: {offsets: {0: 9}}"), f.attempt, ended),
                    Contains("ended at 5") && Contains("now ends it at 9") && Contains("--continue"));
  CHECK_THROWS_WITH(restore(*f.source("schema: {n: bigint}"), f.attempt, ended), Contains("has no `end` any more"));
  CHECK_THROWS_WITH(restore(*f.source("topic: other, schema: {n: bigint}"), f.attempt, ended),
                    Contains("does not name its topic"));
}

TEST_CASE("an end that is new in the file is resolved at the restart", "[broker]") {
  Fixture f;
  f.numbers(0, 10);
  const std::vector<SplitState> splits = {{.topic = f.topic, .next = 4}};
  const auto restored = restore(*f.source(kNumbers), f.attempt, splits);
  CHECK(restored[0].end == 10);
  CHECK(restored[0].next == 4);
  CHECK(!restored[0].ended);
}
