#include "connectors/kafka/sink_topics.h"

#include "connectors/kafka/failure.h"
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
  if (!embedded)
    for (const auto& [topic, limits] : topic_limits(client, topics)) facts[topic].limits = limits;
  return facts;
}

void fit(ProducerOptions& options, const TopicLimits& limits) {
  options.largest_record = std::min<std::int64_t>(std::max(options.largest_record, limits.largest_batch), 1'000'000'000);
  options.largest_batch = std::min(options.largest_batch, limits.largest_batch - kBatchOverhead);
}

std::size_t producer_memory(std::size_t memory) { return std::clamp<std::size_t>(memory / 8, 4 << 20, 64 << 20); }

void SinkTopics::load(const std::shared_ptr<SinkTopics>& self, const KafkaSinkSettingsPtr& settings, BlockingPool& blocking,
                      Waker done) {
  {
    std::lock_guard lock(mutex_);
    if (!ready_) wakers_.push_back(std::move(done));
    if (std::exchange(started_, true)) return;
  }
  blocking.run([self, settings] {
    const auto client = settings->cluster->new_consumer(settings->name, {}, {});  // a producer would make missing topics
    try {
      self->add(settings->topics, find_sink_topics(*settings->cluster, client->get(), settings->topics));
    } catch (const Error& e) {
      throw Error(e.blame(), fmt::format("sink {}: {}", settings->name, e.text()), e.code());
    }
    std::vector<Waker> wakers;
    {
      std::lock_guard lock(self->mutex_);
      self->ready_ = true;
      wakers.swap(self->wakers_);
    }
    for (const Waker& wake : wakers) wake();
  });
}

void SinkTopics::take(const std::vector<std::string>& names, const std::map<std::string, SinkTopicFacts>& facts) {
  std::lock_guard lock(mutex_);
  if (std::exchange(started_, true)) return;
  add(names, facts);
  ready_ = true;
}

void SinkTopics::add(const std::vector<std::string>& names, const std::map<std::string, SinkTopicFacts>& facts) {
  for (const std::string& name : names) {
    const SinkTopicFacts& found = facts.at(name);
    topics_.push_back({name, found.partitions, found.limits, buckets_});
    buckets_ += found.partitions;
  }
}

const std::vector<SinkTopic>& SinkTopics::topics() const {
  static const std::vector<SinkTopic> none;
  return ready_ ? topics_ : none;
}

ProducerOptions SinkTopics::producer_options(Guarantee guarantee, std::size_t memory) const {
  ProducerOptions options;
  options.guarantee = guarantee;
  options.memory = producer_memory(memory);
  for (const SinkTopic& t : topics()) fit(options, t.limits);
  return options;
}

}  // namespace weir
