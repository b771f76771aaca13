#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct WatermarkJob {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("watermark", 3);
  PipelineFolder folder;

  explicit WatermarkJob(const std::string& idle_after)
      : folder(R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in: { type: kafka, connection: main, topic: )" +
               in + R"yaml(, schema: { at: timestamp }, event_time: { column: at, idle_after: )yaml" + idle_after +
               R"yaml( } }
steps: { counted: { from: in, aggregate: { window: { tumbling: 1h }, select: { n: "count(*)" } } } }
sinks: { out: { from: counted, type: console } }
)yaml") {}

  void write(int partition, const std::string& time) {
    kafka.produce_values(in, {R"({"at":")" + time + R"("})"}, partition);
  }
  /// The source as the newest checkpoint shows it.
  json source() const {
    return json::parse(
        folder.weir({"checkpoints", "show", folder.newest().path.string(), "--json"}).output)["sources"]["in"];
  }
  void wait_for_source(const std::string& what, const std::function<bool(const json&)>& holds) const {
    wait_until(
        what,
        [&] {
          const json now = source();
          return now["splits"].size() == 3 && holds(now);
        },
        seconds(30));
  }
};

bool all_read(const json& source) {
  return std::all_of(source["splits"].begin(), source["splits"].end(),
                     [](const json& s) { return s["next_offset"] == 1 && s["end_offset"] == 1 && s["lag"] == 0; });
}

}  // namespace

TEST_CASE("a checkpoint shows where partitions end, and which of them holds back the watermark", "[broker]") {
  WatermarkJob job("never");
  job.write(0, "2024-01-01T12:30:00Z");
  job.write(1, "2024-01-01T10:00:00Z");
  job.write(2, "2024-01-01T12:00:00Z");
  Process process = job.folder.start();
  process.wait_for_line("running", seconds(20));
  job.wait_for_source("all rows, ends and the slowest partition", [&](const json& source) {
    return all_read(source) && source.value("held_back_by", "") == job.in + "-1, 2 h behind" &&
           source["watermark"] == "2024-01-01T09:59:59.999999Z";
  });
  CHECK_THAT(job.folder.weir({"checkpoints", "show", job.folder.newest().path.string()}).output,
             Contains("watermark 2024-01-01T09:59:59.999999Z, held back by " + job.in + "-1, 2 h behind"));
  process.wait_for_line("held back by " + job.in + "-1, 2 h behind", seconds(30));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
}

TEST_CASE("a partition in which nothing comes is shown as idle and does not hold back the watermark", "[broker]") {
  WatermarkJob job("200ms");
  job.write(0, "2024-01-01T12:30:00Z");
  job.write(2, "2024-01-01T10:30:00Z");
  Process process = job.folder.start();
  process.wait_for_line("running", seconds(20));
  job.wait_for_source("partitions that are idle", [&](const json& source) {
    return source["watermark"].is_string() &&
           std::all_of(source["splits"].begin(), source["splits"].end(), [](const json& s) { return s["idle"] == true; });
  });
  job.write(0, "2024-01-01T14:00:00Z");  // 1 and 2 are idle: this moves the watermark
  wait_until("the windows behind it", [&] { return lines_in(process.output()).size() == 2; });
  CHECK_THAT(process.output(), Contains(R"("window_end":"2024-01-01T11:00:00.000Z","n":1)") &&
                                   Contains(R"("window_end":"2024-01-01T13:00:00.000Z","n":1)"));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
}

TEST_CASE("a record without a usable event time goes to the errors as it came", "[broker]") {
  KafkaClient kafka;
  const std::string in = kafka.new_topic("timeless");
  const PipelineFolder folder(
      R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  in: { type: kafka, connection: main, topic: )" +
      in + R"(, end: latest, tombstone: skip, schema: { at: timestamp }, event_time: { column: at }, on_error: emit }
sinks:
  out: { from: in, type: discard }
  bad: { from: in.errors, type: console }
)");
  kafka.produce(in, {{.key = "a", .value = R"({"at":"2024-01-01T00:00:00Z"})"},
                     {.key = "b", .value = std::nullopt},
                     {.key = "c", .value = "{"},
                     {.key = "d", .value = R"({"at": null})"}});
  const ProcessResult result = folder.run();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.output, Contains(R"({"reason":"the event time is null","step":"in","topic":")" + in +
                                     R"(","partition":0,"offset":3,"key":"ZA==","value":"eyJhdCI6IG51bGx9"})"));
}

}  // namespace weir
