#include "connectors/kafka/sink_topics.h"

#include "connectors/kafka/failure.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

// librdkafka's default for batches, which fits Kafka's for topics.
constexpr std::int64_t kUsualBatch = 1'000'000;
// What a batch of one record holds beside key and value, at most, without headers.
constexpr std::int64_t kBatchOverhead = 100;

}  // namespace

void SinkTopics::load(const std::shared_ptr<SinkTopics>& self, const KafkaSinkSettingsPtr& settings, BlockingPool& blocking,
                      Waker done) {
  {
    std::lock_guard lock(mutex_);
    if (!ready_) wakers_.push_back(std::move(done));
    if (std::exchange(started_, true)) return;
  }
  blocking.run([self, settings] {
    self->look_up(*settings);
    std::vector<Waker> wakers;
    {
      std::lock_guard lock(self->mutex_);
      self->ready_ = true;
      wakers.swap(self->wakers_);
    }
    for (const Waker& wake : wakers) wake();
  });
}

void SinkTopics::look_up(const KafkaSinkSettings& settings) {
  const auto embedded = settings.cluster->embedded();
  if (embedded)
    for (const std::string& topic : settings.topics) embedded->ensure_topic(topic);
  const auto client = settings.cluster->new_consumer(settings.name, {}, {});  // a producer would make missing topics
  const auto counts = partition_counts(client->get(), settings.topics);
  std::string missing;
  for (const std::string& topic : settings.topics)
    if (counts.at(topic) == 0) missing += (missing.empty() ? "" : "; ") + no_such_topic(topic, settings.cluster->brokers());
  if (!missing.empty()) throw Error(Blame::kUser, fmt::format("sink {}: {}", settings.name, missing));
  const auto limits = embedded ? std::map<std::string, TopicLimits>() : topic_limits(client->get(), settings.topics);
  for (const std::string& topic : settings.topics) {
    const auto found = limits.find(topic);
    topics_.push_back({topic, counts.at(topic), found == limits.end() ? TopicLimits() : found->second, buckets_});
    buckets_ += counts.at(topic);
  }
}

const std::vector<SinkTopic>& SinkTopics::topics() const {
  static const std::vector<SinkTopic> none;
  return ready_ ? topics_ : none;
}

ProducerOptions SinkTopics::producer_options(Guarantee guarantee, std::size_t memory) const {
  ProducerOptions options;
  options.guarantee = guarantee;
  options.memory = std::clamp<std::size_t>(memory / 8, 4 << 20, 64 << 20);
  std::int64_t largest = TopicLimits().largest_batch, smallest = kUsualBatch;
  for (const SinkTopic& t : topics()) {
    largest = std::max(largest, t.limits.largest_batch);
    smallest = std::min(smallest, t.limits.largest_batch - kBatchOverhead);
  }
  options.largest_record = std::min<std::int64_t>(largest, 1'000'000'000);
  options.largest_batch = smallest;
  return options;
}

}  // namespace weir
