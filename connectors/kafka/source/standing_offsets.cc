#include "connectors/kafka/source/standing_offsets.h"

#include <spdlog/spdlog.h>

#include <chrono>

#include "connectors/kafka/client/client.h"
#include "runtime/base/error.h"

namespace weir {

StandingOffsets::StandingOffsets(ClusterPtr cluster, std::vector<TopicPartition> partitions, Duration patience, Tell tell)
    : cluster_(std::move(cluster)),
      partitions_(std::move(partitions)),
      patience_(patience),
      tell_(std::move(tell)),
      thread_([this](std::stop_token stop) {
        try {
          watch(stop);
        } catch (const Error& e) {  // the job has its own calls to fail with
          spdlog::debug("whether transactions stand open is not known: {}", e.text());
        }
      }) {}

namespace {

/// Asks in small pieces whether a broker answers, so that a stop is heard while none does.
bool answers(rd_kafka_t* client, const std::stop_token& stop) {
  constexpr int kPieceMs = 300;
  for (int left = kLookupTimeoutMs; left > 0 && !stop.stop_requested(); left -= kPieceMs) {
    const rd_kafka_metadata_t* found = nullptr;
    if (rd_kafka_metadata(client, 0, nullptr, &found, kPieceMs) != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    rd_kafka_metadata_destroy(found);
    return true;
  }
  return false;
}

}  // namespace

std::optional<Ranges> StandingOffsets::look(const std::stop_token& stop) const {
  const auto ends = [&](const char* isolation) -> std::optional<Ranges> {
    const auto client =
        cluster_->new_consumer("connection " + cluster_->connection().name, {}, {{"isolation.level", isolation}});
    if (!answers(client->get(), stop)) return std::nullopt;
    return query_ranges(client->get(), partitions_);
  };
  const std::optional<Ranges> stable = ends("read_committed"), all = stable ? ends("read_uncommitted") : std::nullopt;
  if (!all) return std::nullopt;
  Ranges open;
  for (const auto& [partition, range] : *stable)
    if (const std::int64_t end = all->at(partition).high; range.high < end) open[partition] = {range.high, end};
  return open;
}

void StandingOffsets::watch(std::stop_token stop) {
  Ranges standing = look(stop).value_or(Ranges());
  const int own = writes_ ? 2 : 0, before = committed_;
  while (!standing.empty()) {
    {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, stop, std::chrono::microseconds(patience_.micros), [] { return false; });
    }
    if (stop.stop_requested()) return;
    const std::optional<Ranges> now = look(stop);
    if (!now) return;
    std::erase_if(standing, [&](const auto& s) {
      const auto found = now->find(s.first);
      return found == now->end() || found->second.low != s.second.low;
    });
    if (committed_ - before < own) continue;
    for (const auto& [p, range] : standing)
      tell_(fmt::format(
          "the last stable offset of {0}-{1} has stood still since the start, for {2}: a transaction that is none of this "
          "job's now is open "
          "there, of another producer, or one whose end the brokers lost, and readers see nothing behind it; find it with "
          "kafka-transactions.sh --bootstrap-server {3} find-hanging --topic {0} --partition {1}, and end one that hangs "
          "with "
          "kafka-transactions.sh --bootstrap-server {3} abort --topic {0} --partition {1} --start-offset {4}; last stable "
          "offset: {4}, end: {5}",
          p.topic, p.partition, format_duration(patience_), cluster_->brokers(), range.low, now->at(p).high));
    return;
  }
}

}  // namespace weir
