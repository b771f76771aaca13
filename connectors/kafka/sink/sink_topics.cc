#include "connectors/kafka/sink/sink_topics.h"

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/exactly_once/lanes.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

// What a batch of one record holds beside key and value, at most, without headers.
constexpr std::int64_t kBatchOverhead = 100;

}  // namespace

std::map<std::string, SinkTopicFacts> find_sink_topics(const Cluster& cluster, rd_kafka_t* client,
                                                       const std::vector<std::string>& topics) {
  const auto embedded = cluster.embedded();
  if (embedded)
    for (const std::string& topic : topics) embedded->ensure_topic(topic);
  std::map<std::string, SinkTopicFacts> facts;
  std::string missing;
  for (const auto& [topic, count] : partition_counts(client, topics)) {
    facts[topic].partitions = count;
    if (count == 0) missing += (missing.empty() ? "" : "; ") + no_such_topic(topic, cluster.brokers());
  }
  if (!missing.empty()) throw Error(Blame::kUser, missing);
  if (!embedded && !topics.empty())
    for (const auto& [topic, limits] : topic_limits(client, topics)) facts[topic].limits = limits;
  return facts;
}

void fit(ProducerOptions& options, const TopicLimits& limits) {
  options.largest_record = std::min<std::int64_t>(std::max(options.largest_record, limits.largest_batch), 1'000'000'000);
  options.largest_batch = std::min(options.largest_batch, limits.largest_batch - kBatchOverhead);
}

std::size_t producer_memory(std::size_t memory) { return std::clamp<std::size_t>(memory / 8, 4 << 20, 64 << 20); }

SinkTopics::SinkTopics(const std::vector<std::string>& names, const std::map<std::string, SinkTopicFacts>& facts) {
  for (const std::string& name : names) {
    const SinkTopicFacts& found = facts.at(name);
    topics_.push_back({name, found.partitions, found.limits, buckets_});
    buckets_ += found.partitions;
  }
}

std::shared_ptr<const SinkTopics> topics_of(AttemptContext& attempt, const KafkaSinkSettings& settings) {
  const std::string key = "kafka topics of sink " + settings.name;
  if (settings.guarantee == Guarantee::kExactlyOnce) {
    const auto lanes = lanes_of(attempt, settings.cluster);
    return attempt.shared<SinkTopics>(key, [&] { return new SinkTopics(settings.topics, lanes->facts()); });
  }
  return attempt.shared<SinkTopics>(key, [&] {
    const auto client = settings.cluster->new_consumer(settings.name, {}, {});  // a producer would make missing topics
    try {
      return new SinkTopics(settings.topics, find_sink_topics(*settings.cluster, client->get(), settings.topics));
    } catch (const Error& e) {
      throw Error(e.blame(), fmt::format("sink {}: {}", settings.name, e.text()), e.code());
    }
  });
}

ProducerOptions SinkTopics::producer_options(Guarantee guarantee, std::size_t memory) const {
  ProducerOptions options;
  options.guarantee = guarantee;
  options.memory = producer_memory(memory);
  for (const SinkTopic& t : topics()) fit(options, t.limits);
  return options;
}

}  // namespace weir
