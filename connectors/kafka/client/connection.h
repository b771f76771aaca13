#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/pipeline_file.h"

namespace weir {

/// librdkafka properties in the order in which they are set: later ones win.
using Properties = std::vector<std::pair<std::string, std::string>>;

/// A connection of type kafka as the file says it. Immutable; holds secrets, so it is never printed.
struct KafkaConnection {
  std::string name;
  std::string brokers;                          ///< `h1:9092,h2:9092`; empty when embedded
  bool embedded = false;                        ///< librdkafka's test cluster inside the process
  Properties common;                            ///< of consumers and producers: `security`, `properties`
  Properties producer;                          ///< of producers
  std::optional<Duration> transaction_timeout;  ///< as written

  /// A whole number that the file gives for a property of producers; nothing where it does not.
  std::optional<std::int64_t> producer_number(std::string_view property) const;
};
using KafkaConnectionPtr = std::shared_ptr<const KafkaConnection>;

/// The declaration of the connection `kafka`.
Declaration kafka_connection_declaration();

/// Reads a connection of the file, likewise.
KafkaConnectionPtr read_kafka_connection(const Component& connection, Diagnostics& diagnostics);
/// Reads the connection that `component` names. Problems are reported at their place; null if there are any.
KafkaConnectionPtr read_kafka_connection(const Component& component, const PipelineFile& file, Diagnostics& diagnostics);

}  // namespace weir
