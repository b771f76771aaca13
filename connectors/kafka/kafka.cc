#include "connectors/kafka/kafka.h"

#include "connectors/kafka/sink/sink.h"
#include "connectors/kafka/source/source.h"
#include "runtime/api/component.h"

namespace weir {

void add_kafka(Components& components) {
  const auto embedded = std::make_shared<EmbeddedBrokers>();
  components.add_connection(kafka_connection_declaration());
  components.add_source(kafka_source_declaration(), bind_kafka_source(embedded));
  components.add_sink(kafka_sink_declaration(), bind_kafka_sink(embedded));
}

}  // namespace weir
