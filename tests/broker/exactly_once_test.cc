#include <nlohmann/json.hpp>

#include "tests/broker/exactly_once_job.h"

using namespace weir;
using Catch::Contains;

// What an exactly-once job leaves behind while nothing goes wrong.

TEST_CASE("the last rows of a bounded job are committed before it ends", "[broker][eos]") {
  ExactlyOnceJob job;
  job.interval = "1h";
  job.connection = ", transaction_timeout: 60s";
  job.source = ExactlyOnceJob::ends_after(1000);
  job.write();
  job.feed(0, 1000);
  const ProcessResult end = job.run();
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(job.difference(1000) == "");
  CHECK_FALSE(job.transaction_open());
  CHECK_THAT(job.marker(), Catch::StartsWith("weir1 2 "));
  const ProcessResult again = job.run();
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.output + again.errors, Contains("nothing to do"));
}

TEST_CASE("transactions are counted and shown: in the log, at the end, and with each checkpoint", "[broker][eos]") {
  ExactlyOnceJob job;
  job.source = ExactlyOnceJob::ends_after(100);
  job.write();
  job.feed(0, 100);
  const ProcessResult end = job.run();
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.errors, Contains("checkpoint 2 committed (") && Contains(" ms, commit ") &&
                             Contains(" transactions committed, 0 aborted"));
  const std::string newest = (job.job_folder() / "chk-000002").string();
  const auto shown = nlohmann::json::parse(run_weir({"checkpoints", "show", newest, "--json"}).output);
  CHECK(shown["transactions"]["committed"] == 1);  // the claim's; its own was still to come
  CHECK(shown["transactions"]["aborted"] == 0);
  CHECK(shown["transactions"]["timeout_ms"] == 60'000);
  CHECK(shown["transactions"]["oldest_row_ms"] >= 0);
  CHECK_THAT(run_weir({"checkpoints", "show", newest}).output,
             Contains("one transaction of weir-" + job.name + "-a commits its rows"));
}

TEST_CASE("rows become readable with checkpoints; SIGTERM commits the last and leaves no transaction open",
          "[broker][eos]") {
  ExactlyOnceJob job;
  job.interval = "1h";
  job.connection = ", transaction_timeout: 60s";
  job.write();
  const auto process = job.start();
  process->wait_for_line("running");
  job.feed(0, 500);
  while (!job.transaction_open()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(job.client.consume_values(job.out).empty());
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK(job.difference(500) == "");
  CHECK_FALSE(job.transaction_open());
}

TEST_CASE("an idle job writes nothing into its output topics, and keeps one marker", "[broker][eos]") {
  ExactlyOnceJob job;
  job.feed(0, 100);
  const auto process = job.start();
  job.wait_for_rows(100);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto ends = job.client.end_offsets(job.out);
  const std::string marker = job.marker();
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  CHECK(job.client.end_offsets(job.out) == ends);
  CHECK(job.marker() == marker);
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK(job.client.end_offsets(job.out) == ends);
  CHECK(job.client.committed("weir-" + job.name, job.out).size() == 1);
}

namespace {

/// A job with two sinks of the same rows and one of those that cannot be read: every hundredth.
struct ThreeSinksJob : ExactlyOnceJob {
  ThreeSinksJob() : twin(client.new_topic("twin", 4)), bad(client.new_topic("bad", 2)) {
    steps = "steps:\n  checked: { from: in, select: { k: k, n: \"n + 0 * (1 / (n % 100))\" }, on_error: emit }\n";
    from = "checked";
    more_sinks = fmt::format(
        "  twin: {{ from: checked, type: kafka, connection: main, topic: {}, key: k }}\n"
        "  bad: {{ from: checked.errors, type: kafka, connection: main, topic: {}, format: raw }}\n",
        twin, bad);
    write();
  }
  std::vector<int> numbers(const std::string& topic) {
    for (int i = 0; i < 600 && transaction_open(topic); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::vector<int> all;
    for (const std::string& value : client.consume_values(topic)) {
      const auto at = value.find("\"n\":");
      all.push_back(at == std::string::npos ? -1 : std::atoi(value.c_str() + at + 4));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  /// How the three topics contradict each other: "" if both sinks have the same rows, once each, and with the bad ones they
  /// are all rows of each input partition up to some position.
  std::string contradiction() {
    std::vector<int> all = numbers(out);
    if (numbers(twin) != all) return "the two sinks differ";
    const std::vector<int> rejected = numbers(bad);
    for (const int n : rejected)
      if (n % 100 != 0) return fmt::format("row {} is not bad", n);
    all.insert(all.end(), rejected.begin(), rejected.end());
    std::sort(all.begin(), all.end());
    std::map<int, int> next;
    for (const int n : all)
      if (int& expected = next.try_emplace(n % kPartitions, n % kPartitions).first->second; expected != n)
        return fmt::format("row {} comes where {} is due", n, expected);
      else expected += kPartitions;
    return "";
  }
  const std::string twin, bad;
};

}  // namespace

TEST_CASE("two sinks and an errors topic agree after every crash", "[broker][eos]") {
  ThreeSinksJob job;
  ExactlyOnceJob::Feeder feeder(job, 2000);
  for (const char* point :
       {"after-flush:2", "after-prepare:3", "after-send-offsets:4", "after-commit:3", "during-rename:2"}) {
    INFO(point);
    CHECK(job.run({}, {{"WEIR_CRASH_AT", point}, {"WEIR_SLOW_TASK", "twin:20"}}).exit_code == 128 + SIGKILL);
    // The next start ends what the crash left open.
    CHECK(job.run({}, {{"WEIR_CRASH_AT", "after-claim"}}).exit_code == 128 + SIGKILL);
    CHECK(job.contradiction() == "");
  }
  const int rows = feeder.stop(), bad_rows = (rows + 99) / 100;
  job.run_until(static_cast<std::size_t>(rows - bad_rows));
  CHECK(job.contradiction() == "");
  CHECK(job.numbers(job.out).size() == static_cast<std::size_t>(rows - bad_rows));
  CHECK(job.numbers(job.bad).size() == static_cast<std::size_t>(bad_rows));
  // The marker lies at the first of the three topics by name.
  CHECK_FALSE(job.marker(std::min({job.out, job.twin, job.bad})).empty());
}

TEST_CASE("part files follow the Kafka commit", "[broker][eos]") {
  ExactlyOnceJob job;
  const std::filesystem::path parts = job.folder / "parts";
  job.more_sinks =
      "  files: { from: in, type: file, path: " + parts.string() + ", format: json, roll: { size: 4KiB, interval: 1h } }\n";
  job.write();
  ExactlyOnceJob::Feeder feeder(job, 2000);
  for (const char* point : {"after-prepare:3", "after-send-offsets:4", "after-commit:3", "during-rename:3"}) {
    INFO(point);
    CHECK(job.run({}, {{"WEIR_CRASH_AT", point}}).exit_code == 128 + SIGKILL);
  }
  const int rows = feeder.stop();
  job.run_until(static_cast<std::size_t>(rows));
  CHECK(job.difference(rows) == "");
  std::vector<std::string> in_files, in_kafka = job.client.consume_values(job.out);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(parts)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK_FALSE(name.starts_with("."));
    std::istringstream lines(read_file(entry.path()));
    for (std::string line; std::getline(lines, line);) in_files.push_back(line);
  }
  std::sort(in_files.begin(), in_files.end());
  std::sort(in_kafka.begin(), in_kafka.end());
  CHECK(in_files == in_kafka);
}

TEST_CASE("a sink beside it that is at least once writes without transactions", "[broker][eos]") {
  ExactlyOnceJob job;
  const std::string plain = job.client.new_topic("plain", 1);
  job.interval = "1h";
  job.connection = ", transaction_timeout: 60s";
  job.more_sinks =
      fmt::format("  plain: {{ from: in, type: kafka, connection: main, topic: {}, guarantee: at_least_once }}\n", plain);
  job.write();
  job.feed(0, 10);
  const auto process = job.start();
  process->wait_for_line("running");
  for (int i = 0; i < 200 && job.client.consume_values(plain).size() < 10; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(job.client.consume_values(plain).size() == 10);
  CHECK(job.client.consume_values(job.out).empty());
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK(job.difference(10) == "");
}

TEST_CASE("a row that the broker refuses ends the job and is no reason to restart", "[broker][eos]") {
  ExactlyOnceJob job;
  job.out = job.client.new_topic("small", 1, {{"max.message.bytes", "2000"}});
  job.client.produce_values(job.in, {R"({"k":1,"n":1})"}, 0);
  job.steps = "steps:\n  long: { from: in, select: { k: k, n: n, long: \"repeat('x', 5000)\" } }\n";
  job.from = "long";
  SECTION("fail") {
    job.write();
    const ProcessResult end = job.run();
    CHECK(end.exit_code == 3);
    CHECK_THAT(end.errors, Contains("max.message.bytes") && !Contains("restarting"));
  }
  SECTION("skip") {
    job.sink += ", on_error: skip";
    job.source = ", end: latest";
    job.write();
    const ProcessResult end = job.run();
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(job.client.consume_values(job.out).empty());
    CHECK_THAT(end.errors, Contains("1 rows in, 0 rows out, 1 errors"));
  }
}

TEST_CASE("sink topics that do not exist are named before anything is fenced", "[broker][eos]") {
  ExactlyOnceJob job;
  job.client.delete_topic(job.out);
  const ProcessResult end = job.run();
  CHECK(end.exit_code >= 2);
  CHECK_THAT(end.errors, Contains("there is no topic '" + job.out + "'") && Contains("tools/kafka topic create"));
}

TEST_CASE("a time-out longer than the broker allows is refused with both numbers", "[broker][eos]") {
  ExactlyOnceJob job;
  job.connection = ", transaction_timeout: 1h";
  job.write();
  const ProcessResult end = job.run();
  CHECK(end.exit_code >= 2);
  CHECK_THAT(end.errors, Contains("3600000") && Contains("900000") && Contains("transaction.max.timeout.ms"));
}
