#pragma once
#include <string>
#include <string_view>

#include "connectors/kafka/client/connection.h"
#include "runtime/config/config.h"

namespace weir {

/// Whom a mapping of librdkafka properties is for.
enum class PropertyUse { kConsumerAndProducer, kConsumer, kProducer, kTopic };

/// Why a property may not be given: weir relies on its own value, or has a key of its own for it. Empty if it may.
std::string_view why_refused(std::string_view property, PropertyUse use);

/// Adds the properties under `key` of `config` (none if it is not given) to `out`. Unknown properties, values that
/// librdkafka does not take and refused properties are reported; a value is never printed, it may be a secret.
void read_properties(const Config& config, const std::string& key, PropertyUse use, Properties& out,
                     Diagnostics& diagnostics);

}  // namespace weir
