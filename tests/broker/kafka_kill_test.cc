#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <random>
#include <thread>

#include "tests/support/kafka_client.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

using namespace weir;

namespace {

constexpr int kPartitions = 4, kRows = 100'000, kKills = 10;

/// Next offsets of the partitions in the newest committed checkpoint.
std::map<int, std::int64_t> committed_positions(const std::filesystem::path& job_folder) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(job_folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("chk-") && !name.ends_with(".prepared")) newest = std::max(newest, name);
  }
  std::map<int, std::int64_t> out;
  if (newest.empty()) return out;
  const ProcessResult shown = run_weir({"checkpoints", "show", (job_folder / newest).string(), "--json"});
  for (const auto& split : nlohmann::json::parse(shown.output).at("sources").at("in").at("splits"))
    out[split.at("partition").get<int>()] = split.at("next_offset").get<std::int64_t>();
  return out;
}

/// Writes the rows over some seconds, partition by partition in turns.
void feed(KafkaClient& client, const std::string& topic) {
  for (int n = 0; n < kRows; n += 1000) {
    std::vector<KafkaRecord> records;
    for (int i = n; i < n + 1000; ++i)
      records.push_back({.value = fmt::format(R"({{"n":{}}})", i), .partition = i % kPartitions});
    client.produce(topic, records);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
}

}  // namespace

TEST_CASE("nothing is lost when a job is killed, and rows come twice only behind a checkpoint", "[broker]") {
  KafkaClient client;
  const std::string in = client.new_topic("in", kPartitions), out = client.new_topic("out", kPartitions);
  TemporaryFolder folder;
  const auto file = folder.write("p.yaml", fmt::format(R"(name: killed
checkpoint: {{ dir: {}, interval: 100ms }}
connections:
  main: {{ type: kafka, brokers: "{}" }}
sources:
  in: {{ type: kafka, connection: main, topic: {}, schema: {{ n: bigint }}, metadata: [_partition, _offset] }}
steps:
  even: {{ from: in, filter: "n % 2 = 0" }}
  renamed: {{ from: even, select: {{ n: n, p: _partition, o: _offset }} }}
sinks:
  out: {{ from: renamed, type: kafka, connection: main, topic: {}, key: n }}
)",
                                                       (folder / "checkpoints").string(), client.brokers(), in, out));
  const std::vector<std::string> arguments = {"run", file.string(), "--set", "parallelism=2"};
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::thread feeder([&, brokers = client.brokers()] {
    KafkaClient own(brokers);
    feed(own, in);
  });
  std::vector<std::map<int, std::int64_t>> restored;  // by each restart
  auto job = std::make_unique<Process>(weir_program(), arguments);
  for (int kill = 0; kill < kKills; ++kill) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + random() % 900));
    job->kill();
    restored.push_back(committed_positions(folder / "checkpoints" / "killed"));
    job = std::make_unique<Process>(weir_program(), arguments);
  }
  feeder.join();
  job->wait_for_line("running");
  std::map<int, int> seen;                             // n → how often
  std::map<int, std::pair<int, std::int64_t>> places;  // n → partition and offset
  for (int i = 0; i < 300 && seen.size() < kRows / 2; ++i) {
    seen.clear();
    for (const std::string& value : client.consume_values(out)) {
      const auto row = nlohmann::json::parse(value);
      const int n = row.at("n").get<int>();
      ++seen[n];
      places[n] = {row.at("p").get<int>(), row.at("o").get<std::int64_t>()};
    }
    if (seen.size() < kRows / 2) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  job->signal(SIGTERM);
  CHECK(job->wait() == 143);
  CHECK(seen.size() == kRows / 2);
  int too_often = 0;
  for (const auto& [n, times] : seen) {
    const auto [partition, offset] = places[n];
    const auto again =
        std::count_if(restored.begin(), restored.end(), [&, p = partition, o = offset](const auto& positions) {
          const auto next = positions.find(p);
          return next == positions.end() || next->second <= o;
        });
    if (n % 2 != 0 || times > 1 + again) ++too_often;
  }
  CHECK(too_often == 0);
}
