#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "connectors/kafka/client/lookup.h"
#include "connectors/kafka/sink/producer.h"
#include "connectors/kafka/sink/sink_settings.h"
#include "runtime/api/context.h"

namespace weir {

/// What is known of a topic that sinks write.
struct SinkTopicFacts {
  int partitions = 0;
  TopicLimits limits;
};

/// Looks topics up, with a client of any kind that makes no topics. An embedded broker makes them. Throws kafka_error;
/// topics that do not exist are the user's error, all named, with the commands that make them. Blocks.
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

/// The topics of a sink as they were found when the attempt began. Immutable.
class SinkTopics {
 public:
  SinkTopics(const std::vector<std::string>& names, const std::map<std::string, SinkTopicFacts>& facts);

  /// In the order of the settings.
  const std::vector<SinkTopic>& topics() const { return topics_; }
  std::int32_t buckets() const { return buckets_; }
  /// How a producer must be made so that no record and no batch is refused for its size that the topics would take.
  ProducerOptions producer_options(Guarantee guarantee, std::size_t memory) const;

 private:
  std::vector<SinkTopic> topics_;
  std::int32_t buckets_ = 0;
};

/// The topics of a sink, shared by its tasks and looked up at the first use (BoundSink::look_up), which blocks. Exactly
/// once: what the lanes have found. Throws weir::Error that names the sink.
std::shared_ptr<const SinkTopics> topics_of(AttemptContext& attempt, const KafkaSinkSettings& settings);

}  // namespace weir
