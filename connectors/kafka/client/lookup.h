#pragma once
#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connectors/kafka/client/cluster.h"
#include "connectors/kafka/client/topic_partition.h"
#include "runtime/base/time.h"

namespace weir {

// Questions to a cluster. Every call blocks, at most kLookupTimeout, and throws kafka_error.

inline constexpr int kLookupTimeoutMs = 15'000;

/// How long a request to a group's coordinator (ListConsumerGroupOffsets, AlterConsumerGroupOffsets) may take by its own
/// time-out: the longest there is. librdkafka 2.0.2 aborts the process when such a request timed out before the coordinator
/// was connected, and it is connected later. So the caller limits how long it waits for the answer, and gives up the client,
/// never the request.
inline constexpr int kCoordinatorRequestMs = 3600 * 1000;

/// Waits until the client is connected to a broker: a call with a shorter limit then does not fail for an address that does
/// not answer while others do. `what` is tried, for the error.
void wait_for_broker(rd_kafka_t* client, std::string_view what);

/// The number of partitions of each topic; 0 for one that does not exist (asked for again for a second: a broker that has
/// just started may not know its topics yet). Throws when one may not be described.
std::map<std::string, int> partition_counts(rd_kafka_t* client, const std::vector<std::string>& topics);
/// All topics but internal ones (`__…`), with their partitions.
std::map<std::string, int> all_topics(rd_kafka_t* client);

/// The offsets of a partition that can be read: [low, high). For a read_committed consumer high is the last stable offset.
struct OffsetRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
using Ranges = std::map<TopicPartition, OffsetRange>;
/// The range of each partition as `client` may read it.
Ranges query_ranges(rd_kafka_t* client, const std::vector<TopicPartition>& partitions);

/// The offset of the first record at or after `time`, which is not before 1970 (where no record has a time); nothing where
/// there is none.
std::map<TopicPartition, std::optional<std::int64_t>> offsets_at(rd_kafka_t* client,
                                                                 const std::vector<TopicPartition>& partitions,
                                                                 Timestamp time);

/// What the group of the client has committed; nothing where it has not.
std::map<TopicPartition, std::optional<std::int64_t>> committed_offsets(rd_kafka_t* client,
                                                                        const std::vector<TopicPartition>& partitions);

/// What a topic takes, as far as the cluster tells: without the right to describe configurations the fields keep their
/// defaults.
struct TopicLimits {
  std::int64_t largest_batch = 1'048'588;                                 ///< max.message.bytes, Kafka's default
  bool compacted = false;                                                 ///< records without a key are refused
  bool checks_times = false;                                              ///< of records, against the two below
  std::int64_t most_ahead_ms = std::numeric_limits<std::int64_t>::max();  ///< of the broker's clock
  std::int64_t most_behind_ms = std::numeric_limits<std::int64_t>::max();
};
std::map<std::string, TopicLimits> topic_limits(rd_kafka_t* client, const std::vector<std::string>& topics);

}  // namespace weir
