#include <catch2/catch.hpp>

#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"
#include "tests/support/sanitizers.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kSlowness = kSanitized ? 5 : 1;  ///< of the build

std::string copying(const std::string& in, const std::string& out, const std::string& source_keys = "",
                    const std::string& brokers = "${KAFKA_BROKERS}") {
  return "parallelism: 2\nconnections: { main: { type: kafka, brokers: \"" + brokers + R"(" } }
sources: { in: { type: kafka, connection: main, topic: )" +
         in + ", schema: { n: bigint }" + source_keys + R"( } }
sinks: { out: { from: in, type: kafka, connection: main, topic: )" +
         out + " } }\n";
}

}  // namespace

TEST_CASE("stopped by a signal under load, a job goes on without losing or repeating a row", "[broker]") {
  const auto [signal, exit_code] = GENERATE(std::pair(SIGTERM, 143), std::pair(SIGINT, 130));
  KafkaClient kafka;
  const std::string in = kafka.new_topic("stop-in", 2), out = kafka.new_topic("stop-out", 2);
  PipelineFolder folder(copying(in, out));
  constexpr int kRows = 60'000;
  kafka.produce_values(in, lines_with_n(0, kRows));
  for (int i = 0; i < 3; ++i) {
    Process process = folder.start();
    process.wait_for_line("running");
    std::this_thread::sleep_for(milliseconds(15 * i));
    process.signal(signal);
    CHECK(process.wait() == exit_code);
    CHECK_THAT(process.errors(), Contains("stopped") && Contains("committed"));
  }
  folder.rewrite(copying(in, out, ", end: latest"));
  CHECK(folder.run().exit_code == 0);
  std::vector<std::int64_t> found = members_n(kafka.consume_values(out));
  CHECK(found.size() == kRows);
  std::sort(found.begin(), found.end());
  CHECK(std::unique(found.begin(), found.end()) == found.end());
}

TEST_CASE("--stop-after stops gracefully and is no failure", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("after-in"), out = kafka.new_topic("after-out");
  const PipelineFolder folder(copying(in, out));
  kafka.produce_values(in, lines_with_n(0, 10));
  const auto begun = std::chrono::steady_clock::now();
  const ProcessResult result = folder.run({"--stop-after", "1500ms"});
  INFO(result.errors);
  CHECK(result.exit_code == 0);
  CHECK(std::chrono::steady_clock::now() - begun > milliseconds(1400));
  CHECK(std::chrono::steady_clock::now() - begun < seconds(8));
  CHECK_THAT(result.errors, Contains("stopped"));
  CHECK(folder.positions() == std::map<int, std::int64_t>{{0, 10}});
}

TEST_CASE("an idle job uses less than a hundredth of a core", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("idle-in", 4), out = kafka.new_topic("idle-out");
  const PipelineFolder folder(copying(in, out));
  kafka.produce_values(in, lines_with_n(0, 100));
  Process process = folder.start();
  wait_until("its rows", [&] { return kafka.end_offsets(out).at(0) == 100; });
  std::this_thread::sleep_for(seconds(1));
  const auto before = process.cpu_time();
  std::this_thread::sleep_for(seconds(5));
  const auto used = process.cpu_time() - before;
  INFO("CPU ms in 5 s: " << used.count());
  CHECK(used <= milliseconds(50) * kSlowness);
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
}

TEST_CASE("a position is committed to the group after the last checkpoint, too", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("group-in"), out = kafka.new_topic("group-out"), group = unique_name("group");
  const PipelineFolder folder(copying(in, out, ", group: " + group + ", end: latest"));
  kafka.produce_values(in, lines_with_n(0, 10));
  CHECK(folder.run().exit_code == 0);
  const auto committed = kafka.committed(group, in);
  REQUIRE(committed.contains(0));
  CHECK(committed.at(0).offset == 10);
}

TEST_CASE("a topic that is not there is refused at once, with what to do", "[broker]") {
  KafkaClient kafka;
  const std::string there = kafka.new_topic("there"), missing = unique_name("missing");
  const bool source = GENERATE(true, false);
  const PipelineFolder folder(source ? copying(missing, there) : copying(there, missing));
  const ProcessResult result = folder.run({}, seconds(20));
  INFO(result.errors);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("there is no topic '" + missing + "'") && Contains("create"));
  CHECK_THAT(result.errors, Contains(source ? "in" : "out"));
  CHECK_THAT(result.errors, !Contains("claimed") && !Contains("running"));
}

TEST_CASE("a job that waits for its broker can be stopped at once", "[broker]") {
  const PipelineFolder folder(copying("a", "b", "", "127.0.0.1:1"));
  Process process = folder.start();
  process.wait_for_line("127.0.0.1:1");
  process.signal(SIGTERM);
  CHECK(process.wait(seconds(3)) == 143);
  process.wait_for_line("stopped");
}

TEST_CASE("a broker that is not there is tried again, and --stop-after counts meanwhile", "[broker]") {
  const PipelineFolder folder(copying("a", "b", "", "127.0.0.1:1"));
  const ProcessResult result = folder.run({"--stop-after", "1s"}, seconds(40));
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.errors, Contains("--stop-after is over") && Contains("`brokers`") && Contains("127.0.0.1:1"));
}

}  // namespace weir
