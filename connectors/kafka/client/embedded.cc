#include "connectors/kafka/client/embedded.h"

#include <librdkafka/rdkafka_mock.h>

#include <random>

namespace weir {

namespace {

constexpr int kPartitions = 4;

}  // namespace

EmbeddedBroker::EmbeddedBroker(const std::string& connection)
    : host_(RD_KAFKA_PRODUCER, {{"test.mock.num.brokers", "1"}}, connection, std::make_shared<LogLimiter>()) {
  address_ = rd_kafka_mock_cluster_bootstraps(rd_kafka_handle_mock_cluster(host_.get()));
  std::random_device random;
  id_ = fmt::format("embedded-{:08x}{:08x}", random(), random());
}

void EmbeddedBroker::ensure_topic(const std::string& topic) {
  // A topic that is there already is the only error this call has.
  rd_kafka_mock_topic_create(rd_kafka_handle_mock_cluster(host_.get()), topic.c_str(), kPartitions, 1);
}

std::shared_ptr<EmbeddedBroker> EmbeddedBrokers::get(const std::string& connection) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<EmbeddedBroker>& broker = brokers_[connection];
  if (!broker) broker = std::make_shared<EmbeddedBroker>(connection);
  return broker;
}

}  // namespace weir
