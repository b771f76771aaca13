/// Reads an output topic to its end, committed records only, and prints its totals as one JSON list:
///   check BROKERS TOPIC w1|w1p|w2 [UNTIL_MS]       w2: only windows that end by UNTIL_MS
#include <simdjson.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "tools/bench/client.h"
#include "tools/bench/clock_text.h"
#include "tools/bench/totals.h"
#include "tools/bench/workload.h"

namespace weir::bench {
namespace {

class OutputReader {
 public:
  OutputReader(Workload workload, std::int64_t until) : workload_(workload), until_(until) {}

  void take(std::string_view json) {
    padded_.assign(json);
    padded_.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::document document = parser_.iterate(padded_.data(), json.size(), padded_.capacity());
    row_ = document.get_object();
    switch (workload_) {
      case Workload::kFilter:
        return add_filtered(totals_, number("auction"), number("bidder"),
                            std::llround(static_cast<double>(row_.find_field_unordered("price").get_double()) * 1000),
                            time("dateTime"));
      case Workload::kCopy: {
        const std::int64_t auction = number("auction"), bidder = number("bidder"), price = number("price");
        const std::size_t bytes = text("channel").size() + text("url").size() + text("extra").size();
        read_clock(text("dateTime"));
        return add_copied(totals_, auction, bidder, price, static_cast<std::int64_t>(bytes));
      }
      case Workload::kWindows:
        if (time("window_start") + kWindowMs <= until_)
          totals_.add(number("bidder"), number("count"), number("sum"), number("max"));
    }
  }
  const Totals& totals() const { return totals_; }

 private:
  std::int64_t number(const char* name) { return row_.find_field_unordered(name).get_int64(); }
  std::string_view text(const char* name) { return row_.find_field_unordered(name).get_string(); }
  std::int64_t time(const char* name) {
    const std::string_view t = text(name);
    if (t.size() < 19) throw std::runtime_error("not a time: " + std::string(t));
    return read_clock(t);
  }

  Workload workload_;
  std::int64_t until_;
  std::string padded_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::object row_;
  Totals totals_;
};

int run(const std::string& brokers, const std::string& topic, Workload workload, std::int64_t until) {
  rd_kafka_t* consumer = new_client(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers},
                                                        {"group.id", "bench-check"},
                                                        {"enable.auto.commit", "false"},
                                                        {"isolation.level", "read_committed"},
                                                        {"enable.partition.eof", "true"},
                                                        {"fetch.wait.max.ms", "20"}});
  const int partitions = partition_count(consumer, topic);
  rd_kafka_queue_t* records = consume_all(consumer, topic, partitions);
  OutputReader reader(workload, until);
  for (int ended = 0; ended < partitions;) {
    rd_kafka_message_t* record = rd_kafka_consume_queue(records, 30'000);
    if (!record) throw std::runtime_error("nothing came for 30 s");
    if (record->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) ++ended;
    else if (record->err) throw std::runtime_error(rd_kafka_message_errstr(record));
    else reader.take({static_cast<const char*>(record->payload), record->len});
    rd_kafka_message_destroy(record);
  }
  std::printf("%s\n", reader.totals().json().c_str());
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace
}  // namespace weir::bench

int main(int count, char** words) {
  try {
    const auto workload = count >= 4 ? weir::bench::workload_of(words[3]) : std::nullopt;
    if (!workload) throw std::runtime_error("usage: check BROKERS TOPIC w1|w1p|w2 [UNTIL_MS]");
    return weir::bench::run(words[1], words[2], *workload, count > 4 ? std::stoll(words[4]) : INT64_MAX);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "check: %s\n", e.what());
    std::_Exit(1);
  }
}
