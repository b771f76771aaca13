#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "connectors/kafka/client/client.h"

namespace weir {

/// A Kafka broker for trying out, inside the process: librdkafka's mock cluster with one broker. Keeps about 5 MB a
/// partition and drops the oldest beyond that. Gone with the object. Thread-safe.
class EmbeddedBroker {
 public:
  explicit EmbeddedBroker(const std::string& connection);

  /// host:port on loopback.
  const std::string& address() const { return address_; }
  /// Differs for every embedded broker that ever was: what is restored must come from the same one.
  const std::string& id() const { return id_; }
  /// Makes a topic of four partitions unless it is there.
  void ensure_topic(const std::string& topic);

 private:
  Client host_;
  std::string address_, id_;
};

/// The embedded brokers of the process by connection. Thread-safe.
class EmbeddedBrokers {
 public:
  /// The broker of a connection, started at its first use.
  std::shared_ptr<EmbeddedBroker> get(const std::string& connection);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<EmbeddedBroker>> brokers_;
};

}  // namespace weir
