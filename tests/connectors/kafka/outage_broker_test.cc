#include <catch2/catch.hpp>

#include <future>

#include "runtime/base/error.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"
#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"

using namespace weir;

namespace {

const SchemaPtr kInput = schema_of("n bigint");

BatchPtr numbers(int from, int to) {
  std::vector<std::string> rows;
  for (int i = from; i < to; ++i) rows.push_back(std::to_string(i));
  return batch_of(kInput, rows);
}

}  // namespace

TEST_CASE("reader and sink go on when the broker was away for a while", "[broker]") {
  BrokerControl broker;
  KafkaClient client(broker.brokers());
  client.create_topic("t", 2);
  KafkaPipeline pipeline("brokers: \"" + broker.brokers() + "\"");
  TestAttempt attempt;
  const auto sink = pipeline.sink("topic: t, key: n", kInput);
  const auto source = pipeline.source("topic: t, schema: {n: bigint}");
  REQUIRE((sink && source));
  RunningSink writing(*sink, attempt);
  RunningSource reading(*source, attempt, discover(*source, attempt));
  writing.write(numbers(0, 1000));
  writing.barrier();
  reading.read(1000);
  SECTION("stopped") {
    broker.stop();
    auto back = std::async(std::launch::async, [&] {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      broker.start();
    });
    writing.write(numbers(1000, 2000));
    back.get();
  }
  SECTION("killed") {
    broker.kill();
    writing.write(numbers(1000, 2000));
    broker.start();
  }
  SECTION("frozen") {
    broker.freeze();
    writing.write(numbers(1000, 2000));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    broker.thaw();
  }
  writing.barrier();
  reading.read(2000);
  CHECK(client.consume("t").size() == 2000);
  auto rows = reading.out.rows;
  std::sort(rows.begin(), rows.end());
  CHECK(std::unique(rows.begin(), rows.end()) == rows.end());
}

TEST_CASE("a reader and a sink can be given up while the broker is away", "[broker]") {
  BrokerControl broker;
  KafkaClient client(broker.brokers());
  client.create_topic("t", 2);
  KafkaPipeline pipeline("brokers: \"" + broker.brokers() + "\"");
  const auto sink = pipeline.sink("topic: t, key: n", kInput);
  const auto source = pipeline.source("topic: t, schema: {n: bigint}");
  std::chrono::steady_clock::time_point began;
  {
    TestAttempt attempt;
    RunningSink writing(*sink, attempt);
    RunningSource reading(*source, attempt, discover(*source, attempt));
    writing.write(numbers(0, 1000));
    writing.barrier();
    reading.read(1000);
    broker.freeze();
    writing.write(numbers(1000, 2000));
    began = std::chrono::steady_clock::now();
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(8));
  broker.thaw();
}
