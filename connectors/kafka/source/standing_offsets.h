#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "connectors/kafka/client/lookup.h"

namespace weir {

/// Looks for partitions whose last stable offset stands still, for as long as it takes on a thread of its own, and tells of
/// them once: readers that take only what is committed see nothing behind it. Brokers are known that lose the mark of an
/// abort (Apache Kafka 4.4.0, when a transaction times out while a partition has no leader); what a transaction left open
/// that way then stays open.
///
/// Made when the job has fenced what it left open itself and before it writes. Thread-safe. Destroying it ends the thread,
/// within half a second also where the cluster does not answer.
class StandingOffsets {
 public:
  using Tell = std::function<void(const std::string& warning)>;
  /// Tells of a partition whose offset stands for `patience`.
  StandingOffsets(ClusterPtr cluster, std::vector<TopicPartition> partitions, Duration patience, Tell tell);

  /// The job begins to write: what is open may be its own, until two of its transactions were committed.
  void writes() { writes_ = true; }
  void committed() { ++committed_; }

 private:
  void watch(std::stop_token stop);
  /// Where the last stable offset lies before the end: that offset, and the end. Nothing when it was stopped, or no broker
  /// answers.
  std::optional<Ranges> look(const std::stop_token& stop) const;

  const ClusterPtr cluster_;
  const std::vector<TopicPartition> partitions_;
  const Duration patience_;
  const Tell tell_;
  std::atomic<bool> writes_{false};
  std::atomic<int> committed_{0};
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last: uses what is above
};

}  // namespace weir
