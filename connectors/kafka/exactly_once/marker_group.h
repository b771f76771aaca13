#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "connectors/kafka/client/cluster.h"
#include "connectors/kafka/exactly_once/marker.h"
#include "runtime/base/time.h"

namespace weir {

/// What was found when a job's group was read.
struct MarkerReading {
  bool stable = false;               ///< false: a commit was under way until the time was over, so nothing is known
  std::optional<MarkerEntry> entry;  ///< none: the group has no marker
};

/// The consumer group `weir-<job>` in whose entries the marker lies: on partition 0 of one topic of the job. Reading joins
/// nothing and changes nothing.
class MarkerGroup {
 public:
  /// `topics`: where a marker may lie, beside those that the group has entries for. Contacts nothing.
  MarkerGroup(const Cluster& cluster, const std::string& job, std::vector<std::string> topics);

  const std::string& name() const { return name_; }
  /// Reads the marker. Blocks until a broker is connected, then at most about `limit`, and 10 s where the group's
  /// coordinator is slow. Throws weir::Error: kEnvironment, kUser when rights are missing, kRefused when the entries
  /// contradict one another, or one is weir's but cannot be read (another version's). An error of one entry is never "no
  /// marker". Entries of others are warned of once.
  MarkerReading read(Duration limit);

 private:
  std::vector<std::string> list_topics(Duration limit);
  std::vector<MarkerEntry> entries_of(const rd_kafka_topic_partition_list_t& list);
  rd_kafka_t* consumer();

  const Cluster& cluster_;
  std::string name_;
  std::vector<std::string> topics_;
  std::unique_ptr<Client> consumer_;
  std::set<std::string> told_;  ///< warnings
};

}  // namespace weir
