#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connectors/kafka/lookup.h"
#include "connectors/kafka/producer.h"
#include "connectors/kafka/sink_settings.h"
#include "runtime/api/context.h"

namespace weir {

/// What is known of a topic that sinks write.
struct SinkTopicFacts {
  int partitions = 0;
  TopicLimits limits;
};

/// Looks topics up, with a client of any kind that makes no topics. An embedded broker makes them. Throws kafka_error; topics that
/// do not exist are the user's error, all named, with the commands that make them. Blocks.
std::map<std::string, SinkTopicFacts> find_sink_topics(const Cluster& cluster, rd_kafka_t* client,
                                                       const std::vector<std::string>& topics);

/// Makes room for, and keeps batches below, what a topic takes.
void fit(ProducerOptions& options, const TopicLimits& limits);
/// A producer's share of the job's memory.
std::size_t producer_memory(std::size_t memory);

/// A topic that a sink writes, as it was found when the attempt began.
struct SinkTopic {
  std::string name;
  std::int32_t partitions = 0;
  TopicLimits limits;
  std::int32_t first_bucket = 0;  ///< number of its partition 0 among the partitions of all topics of the sink
};

/// The topics of a sink, looked up once for all its tasks. Thread-safe; used through AttemptContext::shared.
class SinkTopics {
 public:
  /// Starts the look-up on the blocking pool unless it runs or is done, and calls `done` after it. A topic that does not
  /// exist, or may not be described, ends the attempt.
  void load(const std::shared_ptr<SinkTopics>& self, const KafkaSinkSettingsPtr& settings, BlockingPool& blocking,
            Waker done);

  /// Takes what is known already instead, unless that was done.
  void take(const std::vector<std::string>& names, const std::map<std::string, SinkTopicFacts>& facts);

  /// The topics in the order of the settings; empty until they are known.
  const std::vector<SinkTopic>& topics() const;
  std::int32_t buckets() const { return buckets_; }
  /// How a producer must be made so that no record and no batch is refused for its size that the topics would take.
  ProducerOptions producer_options(Guarantee guarantee, std::size_t memory) const;

 private:
  void add(const std::vector<std::string>& names, const std::map<std::string, SinkTopicFacts>& facts);

  std::mutex mutex_;
  bool started_ = false;       // under mutex_
  std::vector<Waker> wakers_;  // under mutex_
  std::atomic<bool> ready_{false};
  std::vector<SinkTopic> topics_;  ///< not changed once ready
  std::int32_t buckets_ = 0;
};

}  // namespace weir
