#include <catch2/catch.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

std::vector<KafkaRecord> rows(int from, int to, int partition) {
  std::vector<KafkaRecord> records;
  for (int n = from; n < to; ++n) {
    KafkaRecord r;
    r.partition = partition;
    r.value = "{\"n\":" + std::to_string(n) + "}";
    records.push_back(std::move(r));
  }
  return records;
}

/// Three partitions that end in transactions: 10 committed rows (the marker follows at 10, the end is 11); 5 committed and 5
/// aborted (end 12); 5 plain and 5 in a transaction that is open (last stable offset 5, end 10).
struct TransactionalTopic {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("transactions", 3), out = kafka.new_topic("transactions-out");
  KafkaTransaction open{unique_name("open")};

  TransactionalTopic() {
    KafkaTransaction all{unique_name("all")};
    all.produce(in, rows(0, 10, 0));
    all.commit();
    KafkaTransaction first{unique_name("first")}, second{unique_name("second")};
    first.produce(in, rows(100, 105, 1));
    first.commit();
    second.produce(in, rows(105, 110, 1));
    second.abort();
    kafka.produce(in, rows(200, 205, 2));
    open.produce(in, rows(205, 210, 2));
  }
  std::string yaml(const std::string& isolation) const {
    return R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources: { in: { type: kafka, connection: main, topic: )" +
           in + ", schema: { n: bigint }, end: latest, isolation: " + isolation + R"( } }
sinks: { out: { from: in, type: kafka, connection: main, topic: )" +
           out + " } }\n";
  }
  std::vector<std::int64_t> written() {
    std::vector<std::int64_t> numbers = members_n(kafka.consume_values(out));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }
};

std::vector<std::int64_t> numbers(std::initializer_list<std::pair<int, int>> ranges) {
  std::vector<std::int64_t> all;
  for (const auto& [from, to] : ranges)
    for (int n = from; n < to; ++n) all.push_back(n);
  return all;
}

}  // namespace

TEST_CASE("a bounded job ends at the last stable offset, behind markers and aborted rows, and is finished", "[broker]") {
  TransactionalTopic topic;
  PipelineFolder folder(topic.yaml("read_committed"));
  const ProcessResult first = folder.run({}, std::chrono::seconds(30));
  INFO(first.errors);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.errors, Contains("finished") && Contains("20 rows in"));
  CHECK(topic.written() == numbers({{0, 10}, {100, 105}, {200, 205}}));
  CHECK(folder.newest().state == "finished");
  CHECK(folder.positions() == std::map<int, std::int64_t>{{0, 11}, {1, 12}, {2, 5}});

  const ProcessResult again = folder.run();
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.errors, Contains("nothing to do: finished at"));
  CHECK(topic.written().size() == 20);

  topic.open.commit();
  topic.kafka.produce(topic.in, rows(300, 303, 0));
  const ProcessResult more = folder.run({"--continue"}, std::chrono::seconds(30));
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK(topic.written() == numbers({{0, 10}, {100, 105}, {200, 210}, {300, 303}}));
  CHECK(folder.newest().state == "finished");
  CHECK(folder.positions() == std::map<int, std::int64_t>{{0, 14}, {1, 12}, {2, 11}});
}

TEST_CASE("with read_uncommitted a bounded job reads open and aborted rows, too", "[broker]") {
  TransactionalTopic topic;
  const PipelineFolder folder(topic.yaml("read_uncommitted"));
  const ProcessResult result = folder.run({}, std::chrono::seconds(30));
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  CHECK(topic.written() == numbers({{0, 10}, {100, 110}, {200, 210}}));
  CHECK(folder.positions() == std::map<int, std::int64_t>{{0, 11}, {1, 12}, {2, 10}});
  topic.open.abort();
}

TEST_CASE("a bounded job killed in the middle keeps the end of its first start", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("end-in", 2), out = kafka.new_topic("end-out");
  const PipelineFolder folder(R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources: { in: { type: kafka, connection: main, topic: )" +
                              in + R"(, schema: { n: bigint }, end: latest } }
sinks: { out: { from: in, type: kafka, connection: main, topic: )" +
                              out + " } }\n");
  kafka.produce(in, rows(0, 20'000, 0));
  kafka.produce(in, rows(20'000, 30'000, 1));
  {
    Process process = folder.start();
    process.wait_for_line("claimed checkpoint 1");
    process.kill();
  }
  kafka.produce(in, rows(90'000, 90'100, 0));
  kafka.produce(in, rows(90'100, 90'200, 1));
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  CHECK(folder.positions() == std::map<int, std::int64_t>{{0, 20'000}, {1, 10'000}});
  std::vector<std::int64_t> found = members_n(kafka.consume_values(out));
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  CHECK(found == numbers({{0, 30'000}}));
}

TEST_CASE("an end that is new in the file is resolved at this start", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("newend-in"), out = kafka.new_topic("newend-out");
  const auto yaml = [&](const std::string& end) {
    return R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources: { in: { type: kafka, connection: main, topic: )" +
           in + ", schema: { n: bigint }" + end + R"( } }
sinks: { out: { from: in, type: kafka, connection: main, topic: )" +
           out + " } }\n";
  };
  PipelineFolder folder(yaml(""));
  kafka.produce(in, rows(0, 10, 0));
  {
    Process process = folder.start();
    wait_until("10 rows", [&] { return kafka.end_offsets(out).at(0) >= 10; });
    process.signal(SIGTERM);
    CHECK(process.wait() == 143);
  }
  kafka.produce(in, rows(10, 15, 0));
  folder.rewrite(yaml(", end: latest"));
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(members_n(kafka.consume_values(out)) == numbers({{0, 15}}));
}

}  // namespace weir
