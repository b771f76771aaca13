#include <unistd.h>

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"
#include "tests/support/sanitizers.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// CPU time in ms of the program's own threads: librdkafka's turn while a broker they are connected to is silent.
std::int64_t own_cpu_ms(int pid) {
  std::int64_t ticks = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    if (read_file(thread.path() / "comm").starts_with("rdk:")) continue;
    const std::string stat = read_file(thread.path() / "stat");
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    std::int64_t user = 0, system = 0;
    fields >> user >> system;
    ticks += user + system;
  }
  return ticks * 1000 / sysconf(_SC_CLK_TCK);
}

std::int64_t resident_mib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6)) / 1024;
  throw std::runtime_error("the process is gone");
}

/// Distinct numbers, sorted.
std::vector<std::int64_t> distinct(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

bool counts_up_from_zero(const std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

/// A generator into topic `a`, and topic `a` into topic `b`.
std::string two_flows(const std::string& brokers, const std::string& generator) {
  return R"(
parallelism: 2
memory: 128MiB
checkpoint: { dir: checkpoints, interval: 200ms }
restart: { attempts: 100, backoff: 200ms, max_backoff: 1s }
connections: { main: { type: kafka, brokers: ")" +
         brokers + R"(" } }
sources:
  made: { type: generator, )" +
         generator + R"(, select: { n: n } }
  in: { type: kafka, connection: main, topic: a, schema: { n: bigint } }
sinks:
  a: { from: made, type: kafka, connection: main, topic: a, key: n }
  b: { from: in, type: kafka, connection: main, topic: b, key: n }
)";
}

}  // namespace

TEST_CASE("a job outlives a broker that is stopped and one that is silent for ten seconds, and loses nothing", "[broker]") {
  BrokerControl broker;
  KafkaClient kafka(broker.brokers());
  kafka.create_topic("a", 2);
  kafka.create_topic("b", 2);
  const auto rows = [&](const std::string& topic) {
    return kafka.end_offsets(topic).at(0) + kafka.end_offsets(topic).at(1);
  };
  const PipelineFolder folder(two_flows(broker.brokers(), "rate: 2000"));
  Process process = folder.start();
  wait_until("rows in both topics", [&] { return rows("b") > 1000; });
  for (const bool silent : {false, true}) {
    silent ? broker.freeze() : broker.stop();
    std::this_thread::sleep_for(seconds(10));
    REQUIRE(process.running());
    silent ? broker.thaw() : broker.start();
    const std::int64_t before = rows("b");
    wait_until(
        "rows after the outage", [&] { return rows("b") > before + 2000; }, seconds(60));
  }
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  const std::vector<std::int64_t> a = distinct(members_n(kafka.consume_values("a")));
  CHECK(a.size() > 3000);
  CHECK(counts_up_from_zero(a));
  CHECK(static_cast<std::int64_t>(a.size()) == folder.positions("made").begin()->second);
  // What the last checkpoint read of `a` lies in `b`.
  std::vector<std::int64_t> read;
  const std::map<int, std::int64_t> positions = folder.positions("in");
  for (const KafkaRecord& r : kafka.consume("a"))
    if (r.offset < positions.at(r.partition)) read.push_back(member_n(*r.value));
  CHECK((distinct(read) == distinct(members_n(kafka.consume_values("b")))));
}

TEST_CASE("a sink that takes nothing holds the job back, and memory stays where it is", "[broker]") {
  BrokerControl broker;
  KafkaClient kafka(broker.brokers());
  kafka.create_topic("a", 2);
  const PipelineFolder folder(R"(
parallelism: 2
memory: 64MiB
checkpoint: { dir: checkpoints, interval: 200ms }
connections: { main: { type: kafka, brokers: ")" +
                              broker.brokers() + R"(" } }
sources:
  made: { type: generator, select: { n: n, text: "'0123456789012345678901234567890123456789012345678901234567890123456789'" } }
sinks:
  a: { from: made, type: kafka, connection: main, topic: a }
)");
  Process process = folder.start();
  wait_until("rows", [&] { return kafka.end_offsets("a").at(0) > 1000; });
  broker.freeze();
  std::this_thread::sleep_for(seconds(2));
  const std::int64_t early = resident_mib(process.pid());
  const std::int64_t cpu = own_cpu_ms(process.pid());
  std::this_thread::sleep_for(seconds(3));
  const std::int64_t late = resident_mib(process.pid());
  const std::int64_t used = own_cpu_ms(process.pid()) - cpu;
  INFO("MiB after 2 s and after 5 s: " << early << ", " << late << "; CPU ms meanwhile: " << used);
  CHECK(late <= early + 8);
  if (!kSanitized) CHECK(late < 220);
  if (!kSanitized) CHECK(used < 60);
  process.signal(SIGTERM);  // the last checkpoint cannot be had while the broker is silent
  process.wait_for_line("waiting for the last checkpoint", seconds(20));
  REQUIRE(process.running());
  process.signal(SIGTERM);
  CHECK(process.wait(seconds(2)) == 143);
  CHECK_THAT(process.errors(), Contains("taking a last checkpoint") && !Contains("stopped\n"));
  broker.thaw();
}

TEST_CASE("a job started before its broker runs as soon as that is there", "[broker]") {
  BrokerControl broker;
  KafkaClient kafka(broker.brokers());
  kafka.create_topic("a", 2);
  kafka.create_topic("b", 2);
  broker.stop();
  const PipelineFolder folder(two_flows(broker.brokers(), "rows: 500"));
  Process process = folder.start({"--fresh"});  // must be obeyed although the first attempt fails
  std::this_thread::sleep_for(seconds(1));
  REQUIRE(process.running());
  broker.start();
  wait_until(
      "all rows", [&] { return kafka.end_offsets("b").at(0) + kafka.end_offsets("b").at(1) >= 500; }, seconds(60));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  CHECK(distinct(members_n(kafka.consume_values("b"))).size() == 500);
}

}  // namespace weir
