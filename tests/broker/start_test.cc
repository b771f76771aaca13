#include <catch2/catch.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using Numbers = std::vector<std::int64_t>;

/// Topic to topic, with the keys of the source as the case needs them.
struct CopyingJob {
  KafkaClient kafka;
  const std::string in, out = kafka.new_topic("copy-out");
  PipelineFolder folder;

  explicit CopyingJob(const std::string& source_keys, int partitions = 1)
      : in(kafka.new_topic("copy-in", partitions)), folder(yaml(source_keys)) {}
  std::string yaml(const std::string& source_keys) const {
    return R"(
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources: { in: { type: kafka, connection: main, topic: )" +
           in + ", schema: { n: bigint }, " + source_keys + R"( } }
sinks: { out: { from: in, type: kafka, connection: main, topic: )" +
           out + " } }\n";
  }
  /// Rows with n in [from, to).
  void write(int from, int to, int partition = -1) { kafka.produce_values(in, lines_with_n(from, to), partition); }
  Numbers written() { return members_n(kafka.consume_values(out)); }
  void wait_for_rows(std::size_t count) {
    wait_until(std::to_string(count) + " rows",
               [&] { return kafka.end_offsets(out).at(0) >= static_cast<std::int64_t>(count); });
  }
  /// Runs until `count` rows lie in the output, and stops gracefully.
  std::string run_until(std::size_t count, std::vector<std::string> arguments = {}) {
    Process process = folder.start(std::move(arguments));
    wait_for_rows(count);
    process.signal(SIGTERM);
    CHECK(process.wait() == 143);
    return process.errors();
  }
};

Numbers range(int from, int to) {
  Numbers numbers;
  for (int n = from; n < to; ++n) numbers.push_back(n);
  return numbers;
}

}  // namespace

TEST_CASE("the positions of a checkpoint beat start", "[broker]") {
  const std::string start = GENERATE("start: earliest", "start: latest", "start: { offsets: { 0: 2 } }",
                                     "start: { timestamp: \"2000-01-01T00:00:00Z\" }");
  CopyingJob job("start: earliest");
  job.write(0, 5);
  job.run_until(5);
  job.write(5, 8);
  job.folder.rewrite(job.yaml(start));
  CHECK_THAT(job.run_until(8), Contains("restored checkpoint"));
  CHECK(job.written() == range(0, 8));
}

TEST_CASE("start latest is a number in the first checkpoint, within a second, and survives a restart without rows",
          "[broker]") {
  CopyingJob job("start: latest", 3);
  job.write(0, 4, 1);
  {
    Process process = job.folder.start();
    const auto begun = std::chrono::steady_clock::now();
    process.wait_for_line("claimed checkpoint 1");
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));  // with room for a busy machine
    process.kill();
  }
  CHECK(job.folder.positions() == std::map<int, std::int64_t>{{0, 0}, {1, 4}, {2, 0}});
  job.write(4, 6, 1);  // while it was not running
  job.write(6, 7, 2);
  job.run_until(3);
  Numbers found = job.written();
  std::sort(found.begin(), found.end());
  CHECK(found == range(4, 7));
}

TEST_CASE("positions that were given up are found once, and kept by the claim", "[broker]") {
  CopyingJob job("start: latest");
  job.write(0, 3);
  REQUIRE(job.folder.run({"--stop-after", "0s"}).exit_code == 0);
  job.write(3, 4);
  job.folder.set("WEIR_CRASH_AT", "after-claim");
  CHECK(job.folder.run({"--drop-state", "in"}).exit_code != 0);
  job.folder.set("WEIR_CRASH_AT", "");
  CHECK(job.folder.positions() == std::map<int, std::int64_t>{{0, 4}});
  job.write(4, 6);
  job.run_until(2);
  CHECK(job.written() == range(4, 6));
}

TEST_CASE("retention deletes the position of a job that is stopped or runs: offset_lost decides, and what is lost is said",
          "[broker]") {
  const auto [runs, goes_on] = GENERATE(table<bool, bool>({{false, false}, {false, true}, {true, false}, {true, true}}));
  CAPTURE(runs, goes_on);
  CopyingJob job("start: earliest");
  job.folder.rewrite("checkpoint: { dir: checkpoints, interval: 100ms }\n" +
                     job.yaml(goes_on ? "offset_lost: earliest" : "start: earliest"));
  job.write(0, 10);
  Process first = job.folder.start();
  job.wait_for_rows(10);
  wait_until("a checkpoint with all rows", [&] { return job.folder.positions() == std::map<int, std::int64_t>{{0, 10}}; });
  first.signal(runs ? SIGSTOP : SIGTERM);
  if (!runs) REQUIRE(first.wait() == 143);
  std::this_thread::sleep_for(std::chrono::seconds(runs ? 2 : 0));  // a fetch that waits at the broker comes back empty
  job.write(10, 60);
  job.kafka.delete_records(job.in, 0, 40);
  if (runs) first.signal(SIGCONT);
  std::unique_ptr<Process> second;
  if (!runs) second.reset(new Process(job.folder.start()));
  Process& process = runs ? first : *second;
  const std::string place = job.in + "-0";
  if (goes_on) {
    job.wait_for_rows(30);
    process.signal(SIGTERM);
    CHECK(process.wait() == 143);
    Numbers expected = range(0, 10);
    for (const std::int64_t n : range(40, 60)) expected.push_back(n);
    CHECK(job.written() == expected);
    CHECK_THAT(process.errors(),
               Contains(place + " goes on at 40 instead of 10, which the checkpoint wants: 30 offsets are lost"));
  } else {
    CHECK(process.wait(std::chrono::seconds(60)) == 3);
    CHECK_THAT(process.errors(), Contains("the checkpoint wants 10 of " + place +
                                          " next, but only 40 to 60 are there: 30 records were deleted"));
    CHECK(job.written() == range(0, 10));
  }
  if (runs) CHECK_THAT(process.errors(), Contains("10 is gone from " + place) && Contains("offset_lost decides"));
}

TEST_CASE("an idle job writes no checkpoints after its first", "[broker]") {
  CopyingJob job("start: latest");
  Process process = job.folder.start();
  process.wait_for_line("running");
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  process.kill();
  CHECK(job.folder.newest().id == 1);
}

TEST_CASE("--from goes back to an older checkpoint, and its number is not used again", "[broker]") {
  CopyingJob job("start: earliest");
  job.write(0, 5);
  job.run_until(5);
  const ListedCheckpoint older = job.folder.newest();
  job.write(5, 8);
  job.run_until(8);
  const ListedCheckpoint newer = job.folder.newest();
  REQUIRE(newer.id > older.id);
  const std::string said = job.run_until(11, {"--from", older.path.string()});
  CHECK_THAT(said, Contains("restored checkpoint " + std::to_string(older.id)) && Contains("may come twice"));
  CHECK(job.written() == Numbers{0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 7});
  CHECK(job.folder.newest().id > newer.id);
  job.write(8, 9);
  job.run_until(12);  // goes on from the newest, not from --from
  CHECK(job.written().back() == 8);
}

TEST_CASE("--fresh begins anew, says so, and goes on with the numbers", "[broker]") {
  CopyingJob job("start: earliest");
  job.write(0, 3);
  job.run_until(3);
  const ListedCheckpoint before = job.folder.newest();
  CHECK_THAT(job.run_until(6, {"--fresh"}), Contains("--fresh") && Contains("may come twice"));
  CHECK(job.written() == Numbers{0, 1, 2, 0, 1, 2});
  CHECK(job.folder.newest().id > before.id);
  for (const ListedCheckpoint& c : job.folder.list())
    CHECK((c.id <= before.id) == (c.run == before.run || c.id < before.id));
}

TEST_CASE("a restart inside the process does not begin anew when the checkpoints were deleted", "[broker]") {
  CopyingJob job("start: earliest");
  job.write(0, 3);
  Process process = job.folder.start();
  job.wait_for_rows(3);
  wait_until("a checkpoint", [&] { return job.folder.positions().at(0) == 3; });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::filesystem::remove_all(job.folder.checkpoints());
  job.kafka.delete_topic(job.out);  // what follows cannot be written: the job restarts
  job.write(3, 4);
  CHECK(process.wait(std::chrono::seconds(40)) == 3);
  CHECK_THAT(process.errors(), Contains("restart 1 of") && Contains("checkpoints were deleted") && Contains("--fresh"));
}

TEST_CASE("a bounded source beside an unbounded one is not read again after a restart", "[broker]") {
  KafkaClient kafka;
  const std::string bounded = kafka.new_topic("bounded", 2), open = kafka.new_topic("open"), out = kafka.new_topic("both");
  const PipelineFolder folder(R"(
parallelism: 2
connections: { main: { type: kafka, brokers: "${KAFKA_BROKERS}" } }
sources:
  bounded: { type: kafka, connection: main, topic: )" +
                              bounded + R"(, schema: { n: bigint }, end: latest }
  open: { type: kafka, connection: main, topic: )" +
                              open + R"(, schema: { n: bigint } }
steps: { both: { from: [bounded, open], union: {} } }
sinks: { out: { from: both, type: kafka, connection: main, topic: )" +
                              out + R"( } }
)");
  const auto write = [&](const std::string& topic, int from, int to, int partition = 0) {
    kafka.produce_values(topic, lines_with_n(from, to), partition);
  };
  const auto rows = [&] { return kafka.end_offsets(out).at(0); };
  write(bounded, 0, 100, 0);
  write(bounded, 100, 150, 1);
  write(open, 1000, 1010);
  {
    Process process = folder.start();
    wait_until("the first rows", [&] { return rows() >= 160; });
    process.wait_for_line("committed");
    wait_until("a checkpoint with all of it", [&] {
      return folder.positions("bounded") == std::map<int, std::int64_t>{{0, 100}, {1, 50}} &&
             folder.positions("open").at(0) == 10;
    });
    process.kill();
  }
  write(bounded, 500, 510);  // after its end
  write(open, 1010, 1020);
  {
    Process process = folder.start();
    wait_until("the rows after the restart", [&] { return rows() >= 170; });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(process.running());
    process.signal(SIGTERM);
    CHECK(process.wait() == 143);
  }
  Numbers found = members_n(kafka.consume_values(out)), expected = range(0, 150);
  std::sort(found.begin(), found.end());
  for (const std::int64_t n : range(1000, 1020)) expected.push_back(n);
  CHECK(found == expected);
}

TEST_CASE("a login that is refused ends the start at once and says so", "[broker]") {
  KafkaClient kafka;
  const std::string topic = kafka.new_topic("in", 1),
                    guarantee = GENERATE(as<std::string>(), "exactly_once", "at_least_once");
  PipelineFolder folder(fmt::format(R"(
name: "${{JOB}}"
checkpoint: {{ dir: checkpoints, interval: 100ms }}
restart: {{ attempts: 3, backoff: 100ms }}
connections:
  main: {{ type: kafka, brokers: "{}", security: {{ protocol: sasl_plaintext, mechanism: plain, user: bob, password: hunter2 }} }}
sources: {{ in: {{ type: kafka, connection: main, topic: {}, format: raw }} }}
sinks: {{ out: {{ from: in, type: kafka, connection: main, topic: {}, format: raw, guarantee: {} }} }}
)",
                                    kafka.brokers(), topic, topic, guarantee));
  const ProcessResult run = folder.run();  // the broker's listener knows no logins
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Catch::Contains("SASL PLAIN") && Catch::Contains("look at `security`"));
  CHECK_THAT(run.errors, !Catch::Contains("starting again") && !Catch::Contains("hunter2"));
}

}  // namespace weir
