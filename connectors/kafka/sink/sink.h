#pragma once
#include <memory>

#include "connectors/kafka/client/embedded.h"
#include "runtime/api/component.h"

namespace weir {

/// The declaration of the sink `kafka`, and what makes it from its keys.
Declaration kafka_sink_declaration();
BindSink bind_kafka_sink(std::shared_ptr<EmbeddedBrokers> embedded);

}  // namespace weir
