#include "connectors/kafka/client/cluster.h"

namespace weir {
namespace {

void append(Properties& to, const Properties& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

std::unique_ptr<Client> Cluster::new_consumer(const std::string& label, const Properties& defaults, const Properties& more,
                                              ClientEvents events) const {
  // An end of partition at an idle one is told after fetch.wait.max.ms. auto.offset.reset must never be anything but error:
  // a broker whose retention deleted the position would send the consumer to the end in silence.
  Properties properties = {
      {"fetch.wait.max.ms", "100"}, {"log.connection.close", "false"}, {"reconnect.backoff.max.ms", "2000"}};
  append(properties, defaults);
  append(properties, connection_->common);
  append(properties, {{"bootstrap.servers", brokers()},
                      {"enable.auto.commit", "false"},
                      {"enable.auto.offset.store", "false"},
                      {"auto.offset.reset", "error"},
                      {"enable.partition.eof", "true"},
                      {"allow.auto.create.topics", "false"}});
  append(properties, more);
  return std::make_unique<Client>(RD_KAFKA_CONSUMER, properties, label, limiter_, std::move(events));
}

std::unique_ptr<Client> Cluster::new_producer(const std::string& label, const Properties& defaults, const Properties& more,
                                              ClientEvents events) const {
  Properties properties = {{"log.connection.close", "false"}, {"reconnect.backoff.max.ms", "2000"}};
  append(properties, defaults);
  append(properties, connection_->common);
  append(properties, connection_->producer);
  append(properties, {{"bootstrap.servers", brokers()}});
  append(properties, more);
  return std::make_unique<Client>(RD_KAFKA_PRODUCER, properties, label, limiter_, std::move(events));
}

}  // namespace weir
