#include <catch2/catch.hpp>

#include <thread>

#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

using namespace weir;
using Catch::Contains;

// Pipelines from Kafka to Kafka, as users run them: the program, its exit codes and what it says.

namespace {

/// A pipeline that reads topic `in` and writes topic `out`, each of `partitions` partitions.
class Pipeline {
 public:
  explicit Pipeline(int partitions = 1, std::string brokers = brokers_from_environment())
      : client(std::move(brokers)), in(client.new_topic("in", partitions)), out(client.new_topic("out", partitions)) {}

  /// Writes the file: `source`, `sink` and `more` are further keys, and further sinks.
  void write(const std::string& source, const std::string& sink, const std::string& more = "") {
    file = folder.write("p.yaml", "name: " + in + "\ncheckpoint: { dir: " + (folder / "checkpoints").string() +
                                      ", interval: 100ms }\nconnections:\n  main: { type: kafka, brokers: \"" +
                                      client.brokers() +
                                      "\" }\nsources:\n  in: { type: kafka, connection: main, topic: " + in + ", " + source +
                                      " }\nsinks:\n  out: { from: in, type: kafka, connection: main, topic: " + out +
                                      (sink.empty() ? "" : ", ") + sink + " }\n" + more);
  }
  ProcessResult run(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run", file.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_weir(arguments);
  }
  std::unique_ptr<Process> start() {
    return std::make_unique<Process>(weir_program(), std::vector<std::string>{"run", file.string()});
  }

  KafkaClient client;
  TemporaryFolder folder;
  std::string in, out;
  std::filesystem::path file;
};

const std::string kNumbers = "schema: { n: bigint }";

std::vector<std::string> numbers(int from, int to) {
  std::vector<std::string> out;
  for (int i = from; i < to; ++i) out.push_back(fmt::format(R"({{"n":{}}})", i));
  return out;
}

/// Waits until the topic holds so many records.
std::vector<std::string> wait_for(KafkaClient& client, const std::string& topic, std::size_t records) {
  std::vector<std::string> values;
  for (int i = 0; i < 300 && values.size() < records; ++i) {
    values = client.consume_values(topic);
    if (values.size() < records) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return values;
}

}  // namespace

TEST_CASE("records pass through byte for byte", "[broker]") {
  Pipeline p(2);
  std::vector<KafkaRecord> records = {
      {.key = "k",
       .value = "v",
       .headers = {{"a", "1"}, {"b", std::nullopt}, {"a", ""}},
       .partition = 0,
       .timestamp = 1704067200123,
       .offset = 0},
      {.key = std::nullopt, .value = "", .partition = 0, .timestamp = 5, .offset = 1},
      {.key = "", .value = std::nullopt, .partition = 1, .timestamp = 1704067200125, .offset = 0},
      {.key = std::string("\0\xff", 2),
       .value = std::string("\xfe\0", 2),
       .partition = 1,
       .timestamp = 1704067200126,
       .offset = 1}};
  p.client.produce(p.in, records);
  p.write("format: raw, end: latest, metadata: [_key, _partition, _timestamp, _headers]",
          "format: raw, key: _key, partition: _partition, timestamp: _timestamp, headers: _headers");
  const ProcessResult result = p.run();
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(p.client.consume(p.out) == records);
}

TEST_CASE("a record that cannot be read ends the job, is left out, or goes to the errors stream", "[broker]") {
  Pipeline p;
  p.client.produce(p.in, {{.value = R"({"n":0})"}, {.key = "k", .value = "{oops"}, {.value = R"({"n":2})"}});
  SECTION("fail") {
    p.write(kNumbers + ", end: latest", "");
    const ProcessResult result = p.run();
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.errors, Contains(p.in + "-0@1") && Contains("{oops"));
  }
  SECTION("skip") {
    p.write(kNumbers + ", end: latest, on_error: skip", "");
    CHECK(p.run().exit_code == 0);
    CHECK(p.client.consume_values(p.out) == std::vector<std::string>{R"({"n":0})", R"({"n":2})"});
  }
  SECTION("emit") {
    const std::string bad = p.client.new_topic("bad");
    p.write(kNumbers + ", end: latest, on_error: emit", "",
            "  bad: { from: in.errors, type: kafka, connection: main, topic: " + bad + ", format: raw }\n");
    const ProcessResult result = p.run();
    INFO(result.errors);
    CHECK(result.exit_code == 0);
    CHECK(p.client.consume_values(p.out).size() == 2);
    const auto records = p.client.consume(bad);
    REQUIRE(records.size() == 1);
    CHECK(records[0].key == "k");
    CHECK(records[0].value == "{oops");
    std::map<std::string, std::string> headers;
    for (const auto& [name, value] : records[0].headers) headers[name] = value.value_or("<null>");
    CHECK(headers["topic"] == p.in);
    CHECK(headers["partition"] == "0");
    CHECK(headers["offset"] == "1");
    CHECK(headers["step"] == "in");
    CHECK(!headers["reason"].empty());
  }
}

TEST_CASE("a bounded job ends at committed, aborted and open transactions", "[broker]") {
  Pipeline p;
  p.client.produce_values(p.in, numbers(0, 3));
  KafkaTransaction committed(unique_name("c")), aborted(unique_name("a")), open(unique_name("o"));
  committed.produce(p.in, {{.value = R"({"n":3})"}});
  committed.commit();
  aborted.produce(p.in, {{.value = R"({"n":100})"}});
  aborted.abort();
  SECTION("an aborted tail") {}
  SECTION("an open tail") { open.produce(p.in, {{.value = R"({"n":200})"}}); }
  p.write(kNumbers + ", end: latest", "");
  CHECK(p.run().exit_code == 0);
  CHECK(p.client.consume_values(p.out) == numbers(0, 4));
  const ProcessResult again = p.run();
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.output + again.errors, Contains("nothing to do"));
  CHECK(p.client.consume_values(p.out).size() == 4);
}

TEST_CASE("start: latest survives a restart without rows, and what is restored beats start", "[broker]") {
  Pipeline p;
  p.client.produce_values(p.in, numbers(0, 5));
  p.write(kNumbers + ", start: latest", "");
  {
    const auto first = p.start();
    first->wait_for_line("running");
    first->kill();
  }
  p.client.produce_values(p.in, numbers(5, 8));
  const auto second = p.start();
  CHECK(wait_for(p.client, p.out, 3) == numbers(5, 8));
  second->signal(SIGTERM);
  CHECK(second->wait() == 143);
}

TEST_CASE("a topic that does not exist fails the job with the command that makes it", "[broker]") {
  Pipeline p;
  p.write(kNumbers, "");
  SECTION("source") { p.client.delete_topic(p.in); }
  SECTION("sink") { p.client.delete_topic(p.out); }
  const ProcessResult result = p.run();
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("there is no topic") && Contains("tools/kafka topic create"));
}

TEST_CASE("a job goes on when its broker was away for ten seconds", "[broker]") {
  BrokerControl broker;
  Pipeline p(2, broker.brokers());
  p.write(kNumbers, "key: n");
  const auto job = p.start();
  p.client.produce_values(p.in, numbers(0, 100));
  CHECK(wait_for(p.client, p.out, 100).size() == 100);
  broker.stop();
  std::this_thread::sleep_for(std::chrono::seconds(10));
  broker.start();
  p.client.produce_values(p.in, numbers(100, 200));
  auto rows = wait_for(p.client, p.out, 200);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  CHECK(rows.size() == 200);
  job->signal(SIGTERM);
  CHECK(job->wait() == 143);
}
