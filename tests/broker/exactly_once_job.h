#pragma once
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/kafka_client.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace weir {

/// A job that copies rows {"k":…,"n":…} from one topic to another, exactly once, checkpoints every 100 ms. Row n lies in
/// partition k mod 4 of the input, k = n mod 16; the output is partitioned by k, so that both tasks write to all partitions.
class ExactlyOnceJob {
 public:
  static constexpr int kPartitions = 4, kKeys = 16;

  explicit ExactlyOnceJob(std::string brokers = brokers_from_environment())
      : client(std::move(brokers)),
        name(unique_name("eo")),
        in(client.new_topic("in", kPartitions)),
        out(client.new_topic("out", kPartitions)) {
    write();
  }

  // What the file says; write() after a change.
  int parallelism = 2;
  std::string interval = "100ms";
  std::string connection;  ///< further keys: `, transaction_timeout: 5s`
  std::string source;      ///< likewise: `, end: latest`
  std::string sink = ", guarantee: exactly_once";
  std::string more_sinks;   ///< lines
  std::string steps;        ///< a block
  std::string from = "in";  ///< what the sink reads
  bool quiet = true;        ///< no progress
  std::string restart = "backoff: 100ms, max_backoff: 1s";

  void write() {
    file = folder.write(
        name + ".yaml",
        fmt::format(
            "name: {}\nparallelism: {}\ncheckpoint: {{ dir: {}, interval: {} }}\nrestart: {{ {} }}\nconnections:\n  main: "
            "{{ "
            "type: kafka, brokers: \"{}\"{} }}\nsources:\n  in: {{ type: kafka, connection: main, topic: {}, schema: {{ "
            "k: int, n: int }}{} }}\n{}sinks:\n  out: {{ from: {}, type: kafka, connection: main, topic: {}, key: k{} "
            "}}\n{}",
            name, parallelism, (folder / "checkpoints").string(), interval, restart, client.brokers(), connection, in,
            source, steps, from, out, sink, more_sinks));
  }

  /// Writes rows [begin, end) into the input.
  void feed(int begin, int end) { feed(client, begin, end); }
  void feed(KafkaClient& with, int begin, int end) {
    std::vector<KafkaRecord> records;
    for (int n = begin; n < end; ++n)
      records.push_back({.value = fmt::format(R"({{"k":{},"n":{}}})", n % kKeys, n), .partition = n % kPartitions});
    with.produce(in, records);
  }
  /// Writes rows from 0 on in the background, about `per_second` of them a second, until stop() or the end of its life.
  class Feeder {
   public:
    Feeder(ExactlyOnceJob& job, int per_second)
        : thread_([this, &job, step = std::max(per_second / 50, 1)](std::stop_token stop) {
            KafkaClient own(job.client.brokers());
            while (!stop.stop_requested()) {
              try {
                job.feed(own, next_, next_ + step);
              } catch (const std::exception&) {  // the broker is away: which of them arrived is seen in the topic
                failed_ = true;
                return;
              }
              next_ += step;
              std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
          }) {}
    /// Returns how many rows there are.
    int stop() {
      thread_.request_stop();
      if (thread_.joinable()) thread_.join();
      if (failed_) throw std::runtime_error("the input could not be written");
      return next_;
    }

   private:
    int next_ = 0;
    bool failed_ = false;
    std::jthread thread_;
  };
  /// The key `source` for a source that ends after row `rows`.
  static std::string ends_after(int rows) {
    std::string offsets;
    for (int p = 0; p < kPartitions; ++p)
      offsets += fmt::format("{}{}: {}", p ? ", " : "", p, (rows - p + kPartitions - 1) / kPartitions);
    return ", end: {offsets: {" + offsets + "}}";
  }

  std::unique_ptr<Process> start(std::vector<std::string> more = {}, std::map<std::string, std::string> environment = {}) {
    return std::make_unique<Process>(weir_program(), arguments(std::move(more)),
                                     ProcessOptions{.environment = std::move(environment)});
  }
  ProcessResult run(std::vector<std::string> more = {}, std::map<std::string, std::string> environment = {}) {
    return run_weir(arguments(std::move(more)), {.environment = std::move(environment)});
  }
  /// Runs until `rows` rows can be read from the output, and stops in good order.
  void run_until(std::size_t rows, std::vector<std::string> more = {}, std::map<std::string, std::string> environment = {}) {
    const auto process = start(std::move(more), std::move(environment));
    process->wait_for_line("running", std::chrono::seconds(60));  // the rows may all be there already
    stop_at(*process, rows);
  }
  void stop_at(Process& process, std::size_t rows) {
    try {
      wait_for_rows(rows, std::chrono::seconds(60));
    } catch (const std::exception& e) {
      throw std::runtime_error(std::string(e.what()) + "\n" + process.errors());
    }
    process.signal(SIGTERM);
    if (process.wait() != 143) throw std::runtime_error("not stopped in good order\n" + process.errors());
  }
  /// Waits until no checkpoint is taken any more, so that the folder can be copied.
  void wait_until_idle() {
    for (std::string before = "-", now; (now = marker()) != before; before = now)
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
  std::filesystem::path job_folder() const { return folder / "checkpoints" / name; }

  /// How the rows of the output differ from rows [0, rows): "" if each is there once and those of a key are in order.
  std::string difference(int rows) {
    std::map<int, int> times, last_of_key;
    std::string found;
    // The broker answers a commit before its markers are readable.
    for (int i = 0; i < 100 && transaction_open(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (const KafkaRecord& r : client.consume(out)) {
      int k = 0, n = 0;
      if (std::sscanf(r.value->c_str(), R"({"k":%d,"n":%d})", &k, &n) != 2) return "a strange row: " + *r.value;
      if (n >= rows) found += fmt::format("row {} was never written; ", n);
      if (const auto last = last_of_key.find(k); last != last_of_key.end() && n <= last->second && times[n] == 0)
        found += fmt::format("row {} after {}; ", n, last->second);
      last_of_key[k] = std::max(last_of_key[k], n);
      ++times[n];
    }
    int lost = 0, twice = 0;
    for (int n = 0; n < rows; ++n) lost += times[n] == 0, twice += times[n] > 1;
    if (lost || twice) found += fmt::format("{} lost, {} twice, of {}", lost, twice, rows);
    return found.substr(0, 500);
  }
  /// Waits until so many rows can be read from the output.
  void wait_for_rows(std::size_t rows, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    std::size_t found = 0;
    while ((found = client.consume_values(out).size()) < rows) {
      if (std::chrono::steady_clock::now() > end)
        throw std::runtime_error(fmt::format("{} rows of {} after the time was over", found, rows));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  /// The marker `weir1 N run…`, or "" if there is none.
  std::string marker(const std::string& of_topic = {}) {
    const auto committed = client.committed("weir-" + name, of_topic.empty() ? out : of_topic);
    return committed.empty() ? "" : committed.begin()->second.metadata;
  }
  int marker_number() {
    const std::string text = marker();
    int n = 0;
    std::sscanf(text.c_str(), "weir1 %d", &n);
    return n;
  }
  /// True while some partition of the output holds rows of a transaction that is neither committed nor aborted.
  bool transaction_open() { return transaction_open(out); }
  bool transaction_open(const std::string& topic) {
    return client.end_offsets(topic, Isolation::kReadCommitted) != client.end_offsets(topic);
  }

  KafkaClient client;
  TemporaryFolder folder;
  std::string name, in, out;
  std::filesystem::path file;

 private:
  std::vector<std::string> arguments(std::vector<std::string> more) const {
    std::vector<std::string> all = {"run", file.string()};
    if (quiet) all.push_back("--quiet");
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

}  // namespace weir
