#pragma once
#include <memory>

#include "connectors/kafka/client/embedded.h"
#include "runtime/api/component.h"

namespace weir {

/// The declaration of the source `kafka`, and what makes it from its keys.
Declaration kafka_source_declaration();
BindSource bind_kafka_source(std::shared_ptr<EmbeddedBrokers> embedded);

}  // namespace weir
