/// How fast a workload goes on one core in a program written for it alone: librdkafka in, simdjson, JSON by hand, librdkafka
/// out. It measures; it is no engine: nothing survives it. Reads the same environment as the adapter; with BOUNDED=1 it ends
/// where the topic ends at the start, else at SIGTERM.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "tools/bench/bid_reader.h"
#include "tools/bench/bid_windows.h"
#include "tools/bench/bid_writer.h"
#include "tools/bench/client.h"
#include "tools/bench/clock_text.h"
#include "tools/bench/row_producer.h"

namespace weir::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostTextBytes = 1024;   ///< of the three texts of a bid
constexpr std::size_t kRecordsAtOnce = 2000;   ///< taken from librdkafka in one call
constexpr std::uint64_t kRowsInARow = 10'000;  ///< go to one partition, then it is the next one's turn

volatile std::sig_atomic_t stopped = 0;

class Ceiling {
 public:
  Ceiling();
  int run();

 private:
  void take(const rd_kafka_message_t& record);
  void write_windows();
  void begin_transaction();
  void commit();
  bool at_end() const;
  int partition() const {
    return static_cast<int>(out_->rows() / kRowsInARow % static_cast<std::uint64_t>(out_->partitions()));
  }

  Workload workload_;
  bool exactly_once_ = environment("GUARANTEE", "al") == "eo";
  std::string topic_ = environment("IN_TOPIC");
  rd_kafka_t* consumer_;
  int partitions_;
  std::vector<std::int64_t> next_, end_;  ///< offsets by partition; no end: end_ is empty
  std::optional<RowProducer> out_;
  BidReader reader_;
  BidWindows windows_;
  std::uint64_t events_ = 0;
};

Workload asked_workload() {
  const std::string name = environment("WORKLOAD", "w1");
  if (const auto workload = workload_of(name)) return *workload;
  throw std::runtime_error("WORKLOAD must be w1, w1p or w2: " + name);
}

Settings consumer_settings() {
  return {{"bootstrap.servers", environment("BROKERS")},
          {"group.id", environment("GROUP", "native-ceiling")},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"queued.min.messages", "1000000"},
          {"queued.max.messages.kbytes", "524288"},
          {"fetch.message.max.bytes", "4194304"},
          {"fetch.max.bytes", "16777216"},
          {"fetch.wait.max.ms", "50"}};
}

Ceiling::Ceiling()
    : workload_(asked_workload()),
      consumer_(new_client(RD_KAFKA_CONSUMER, consumer_settings())),
      partitions_(partition_count(consumer_, topic_)),
      next_(static_cast<std::size_t>(partitions_)),
      reader_(workload_),
      windows_(partitions_) {
  if (environment("BOUNDED") == "1") end_ = end_offsets(consumer_, topic_, partitions_);
  Settings settings = producer_settings(environment("BROKERS"), environment("LINGER_MS", "20"));
  if (exactly_once_) settings["transactional.id"] = environment("GROUP", "native-ceiling") + "-0";
  out_.emplace(settings, environment("OUT_TOPIC"), kRowSize + kMostTextBytes);
}

void Ceiling::take(const rd_kafka_message_t& record) {
  if (record.err) throw std::runtime_error(rd_kafka_message_errstr(&record));
  ++events_;
  next_[static_cast<std::size_t>(record.partition)] = record.offset + 1;
  Bid bid;
  if (!reader_.read({static_cast<const char*>(record.payload), record.len}, bid)) return;
  if (workload_ == Workload::kWindows)
    return windows_.add(record.partition, read_clock(bid.time.substr(1)), bid.bidder, bid.price);
  if (workload_ == Workload::kFilter && bid.price <= kPriceFloor) return;
  if (bid.channel.size() + bid.url.size() + bid.extra.size() > kMostTextBytes) throw std::runtime_error("a bid is too long");
  const int to = partition();
  char* row = out_->row(to);
  out_->end_row(to, workload_ == Workload::kFilter ? write_filtered(row, bid) : write_copied(row, bid));
}

void Ceiling::write_windows() {
  windows_.close([&](std::int64_t start, const BidWindows::Row& r) {
    const int to = partition();
    out_->end_row(to, write_window(out_->row(to), r.bidder, start, r.count, r.sum, r.max));
  });
}

void Ceiling::begin_transaction() {
  if (exactly_once_) check(rd_kafka_begin_transaction(out_->client()), "beginning a transaction");
}

void Ceiling::commit() {
  rd_kafka_topic_partition_list_t* offsets = rd_kafka_topic_partition_list_new(partitions_);
  for (int p = 0; p < partitions_; ++p)
    rd_kafka_topic_partition_list_add(offsets, topic_.c_str(), p)->offset = next_[static_cast<std::size_t>(p)];
  if (exactly_once_) {
    out_->send();
    rd_kafka_consumer_group_metadata_t* group = rd_kafka_consumer_group_metadata(consumer_);
    check(rd_kafka_send_offsets_to_transaction(out_->client(), offsets, group, 60'000), "adding offsets to the transaction");
    check(rd_kafka_commit_transaction(out_->client(), 60'000), "committing");
    rd_kafka_consumer_group_metadata_destroy(group);
    begin_transaction();
  } else {
    out_->flush();
    rd_kafka_commit(consumer_, offsets, 1);
  }
  rd_kafka_topic_partition_list_destroy(offsets);
}

bool Ceiling::at_end() const {
  if (end_.empty()) return false;
  for (std::size_t p = 0; p < end_.size(); ++p)
    if (next_[p] < end_[p]) return false;
  return true;
}

int Ceiling::run() {
  if (exactly_once_) check(rd_kafka_init_transactions(out_->client(), 60'000), "setting up transactions");
  begin_transaction();
  rd_kafka_queue_t* records = consume_all(consumer_, topic_, partitions_);
  const auto interval = std::chrono::milliseconds(std::stoll(environment("INTERVAL_MS", "1000")));
  std::vector<rd_kafka_message_t*> taken(kRecordsAtOnce);
  auto due = Clock::now() + interval;
  while (!stopped && !at_end()) {
    const ssize_t count = rd_kafka_consume_batch_queue(records, 50, taken.data(), taken.size());
    if (count < 0) check(rd_kafka_last_error(), "reading");
    for (ssize_t i = 0; i < count; ++i) {
      take(*taken[static_cast<std::size_t>(i)]);
      rd_kafka_message_destroy(taken[static_cast<std::size_t>(i)]);
    }
    if (workload_ == Workload::kWindows) write_windows();
    if (count == 0) out_->send();
    if (Clock::now() < due) continue;
    commit();
    due = Clock::now() + interval;
  }
  commit();
  std::fprintf(stderr, "%llu events, %llu rows\n", static_cast<unsigned long long>(events_),
               static_cast<unsigned long long>(out_->rows()));
  std::_Exit(0);  // taking librdkafka's queues apart is not what is measured
}

}  // namespace
}  // namespace weir::bench

int main() {
  std::signal(SIGTERM, [](int) { weir::bench::stopped = 1; });
  std::signal(SIGINT, [](int) { weir::bench::stopped = 1; });
  try {
    return weir::bench::Ceiling().run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "native_ceiling: %s\n", e.what());
    std::_Exit(1);
  }
}
