/// Measures how long rows are under way from one topic to another, through an engine that copies them:
///   latency rate BROKERS IN OUT ROWS_PER_SECOND SECONDS   writes rows {"n":…,"t":microseconds} evenly, waits for them in
///   OUT, and prints
///                                                         {"rows":…,"p50_ms":…,"p99_ms":…,"max_ms":…} without the first
///                                                         tenth
///   latency put BROKERS IN ROWS                           writes rows at once, and waits until they are acknowledged
///   latency first BROKERS OUT                             prints "ready", then the time of the next row in OUT, in
///   microseconds
/// Only committed rows count, read from the end of OUT on.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tools/bench/client.h"

namespace weir::bench {
namespace {

using Clock = std::chrono::system_clock;

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count();
}

/// Reads what comes into a topic from now on.
class Arrivals {
 public:
  Arrivals(const std::string& brokers, const std::string& topic)
      : consumer_(new_client(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers},
                                                 {"group.id", "bench-latency"},
                                                 {"enable.auto.commit", "false"},
                                                 {"isolation.level", "read_committed"},
                                                 {"fetch.wait.max.ms", "50"}})) {
    rd_kafka_poll_set_consumer(consumer_);
    const int partitions = partition_count(consumer_, topic);
    const std::vector<std::int64_t> ends = end_offsets(consumer_, topic, partitions);
    rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(partitions);
    for (int p = 0; p < partitions; ++p)
      rd_kafka_topic_partition_list_add(list, topic.c_str(), p)->offset = ends[static_cast<std::size_t>(p)];
    check(rd_kafka_assign(consumer_, list), "reading " + topic);
    rd_kafka_topic_partition_list_destroy(list);
    records_ = rd_kafka_queue_get_consumer(consumer_);
  }
  /// The next row, and when it came; an empty one after `limit_ms`.
  std::string next(int limit_ms) {
    for (;;) {
      rd_kafka_message_t* record = rd_kafka_consume_queue(records_, limit_ms);
      if (!record) return {};
      const bool is_row = !record->err;
      std::string row(is_row ? static_cast<const char*>(record->payload) : "", is_row ? record->len : 0);
      rd_kafka_message_destroy(record);
      if (is_row) return row;
    }
  }

 private:
  rd_kafka_t* consumer_;
  rd_kafka_queue_t* records_;
};

std::int64_t number_in(const std::string& row, const char* name) {
  const auto at = row.find(name);
  if (at == std::string::npos) throw std::runtime_error("not a row of this benchmark: " + row);
  return std::strtoll(row.c_str() + at + std::strlen(name), nullptr, 10);
}

/// Writes `rows` rows, so many a second, in steps of a millisecond.
void write_evenly(const std::string& brokers, const std::string& topic, std::int64_t per_second, std::int64_t rows) {
  Settings settings = producer_settings(brokers, "1");
  settings["compression.codec"] = "none";
  rd_kafka_t* producer = new_client(RD_KAFKA_PRODUCER, settings);
  const int partitions = partition_count(producer, topic);
  const auto began = std::chrono::steady_clock::now();
  for (std::int64_t n = 0; n < rows;) {
    const auto due =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() * static_cast<double>(per_second);
    for (; n < rows && static_cast<double>(n) < due; ++n) {
      char row[64];
      const int size = std::snprintf(row, sizeof row, "{\"n\":%lld,\"t\":%lld}", static_cast<long long>(n),
                                     static_cast<long long>(now_us()));
      check(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic.c_str()),
                              RD_KAFKA_V_PARTITION(static_cast<std::int32_t>(n % partitions)),
                              RD_KAFKA_V_VALUE(row, static_cast<std::size_t>(size)),
                              RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END),
            "writing a row");
    }
    rd_kafka_poll(producer, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  check(rd_kafka_flush(producer, 60'000), "waiting for acknowledgements");
}

void measure_rate(const std::string& brokers, const std::string& in, const std::string& out, std::int64_t per_second,
                  std::int64_t seconds) {
  Arrivals arrivals(brokers, out);
  const std::int64_t rows = per_second * seconds;
  std::thread writer([&] { write_evenly(brokers, in, per_second, rows); });
  std::vector<double> took;
  for (std::int64_t seen = 0; seen < rows; ++seen) {
    const std::string row = arrivals.next(60'000);
    if (row.empty()) throw std::runtime_error("nothing came for 60 s");
    const std::int64_t now = now_us();
    if (number_in(row, "\"n\":") * 10 >= rows) took.push_back(static_cast<double>(now - number_in(row, "\"t\":")) / 1000);
  }
  writer.join();
  std::sort(took.begin(), took.end());
  const auto at = [&](double share) { return took[static_cast<std::size_t>(share * static_cast<double>(took.size() - 1))]; };
  std::printf("{\"rows\": %zu, \"p50_ms\": %.2f, \"p99_ms\": %.2f, \"max_ms\": %.2f}\n", took.size(), at(0.5), at(0.99),
              took.back());
}

void wait_for_first(const std::string& brokers, const std::string& out) {
  Arrivals arrivals(brokers, out);
  std::printf("ready\n");
  std::fflush(stdout);
  if (arrivals.next(60'000).empty()) throw std::runtime_error("nothing came for 60 s");
  std::printf("%lld\n", static_cast<long long>(now_us()));
}

}  // namespace
}  // namespace weir::bench

int main(int count, char** words) {
  try {
    const std::string mode = count > 1 ? words[1] : "";
    if (mode == "rate" && count == 7)
      weir::bench::measure_rate(words[2], words[3], words[4], std::stoll(words[5]), std::stoll(words[6]));
    else if (mode == "put" && count == 5) weir::bench::write_evenly(words[2], words[3], 1'000'000'000, std::stoll(words[4]));
    else if (mode == "first" && count == 4) weir::bench::wait_for_first(words[2], words[3]);
    else
      throw std::runtime_error(
          "usage: latency rate BROKERS IN OUT ROWS_PER_SECOND SECONDS | latency put BROKERS IN ROWS | latency first BROKERS "
          "OUT");
    std::fflush(stdout);
    std::_Exit(0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "latency: %s\n", e.what());
    std::_Exit(1);
  }
}
