#pragma once
#include <memory>
#include <string>

#include "connectors/kafka/client/connection.h"
#include "connectors/kafka/client/embedded.h"
#include "connectors/kafka/client/log_limiter.h"

namespace weir {

/// The cluster of a connection, as sources and sinks reach it. Thread-safe.
class Cluster {
 public:
  Cluster(KafkaConnectionPtr connection, std::shared_ptr<EmbeddedBrokers> embedded)
      : connection_(std::move(connection)), embedded_(std::move(embedded)) {}

  const KafkaConnection& connection() const { return *connection_; }
  /// The embedded broker, started at its first use; null for a real cluster.
  std::shared_ptr<EmbeddedBroker> embedded() const {
    return connection_->embedded ? embedded_->get(connection_->name) : nullptr;
  }
  /// Addresses for clients and for messages.
  std::string brokers() const { return connection_->embedded ? embedded()->address() : connection_->brokers; }

  /// A consumer that reads partitions given to it, from positions given to it. `defaults` are set before the connection's
  /// own properties, so that these win; `more` after them.
  std::unique_ptr<Client> new_consumer(const std::string& label, const Properties& defaults, const Properties& more,
                                       ClientEvents events = {}) const;
  /// A producer; `defaults` and `more` likewise.
  std::unique_ptr<Client> new_producer(const std::string& label, const Properties& defaults, const Properties& more,
                                       ClientEvents events = {}) const;

 private:
  KafkaConnectionPtr connection_;
  std::shared_ptr<EmbeddedBrokers> embedded_;
  /// Of all clients: each task of a source has one, and each look at the cluster makes one.
  std::shared_ptr<LogLimiter> limiter_ = std::make_shared<LogLimiter>();
};
using ClusterPtr = std::shared_ptr<const Cluster>;

}  // namespace weir
