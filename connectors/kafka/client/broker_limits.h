#pragma once
#include <librdkafka/rdkafka.h>

#include <optional>

#include "runtime/base/time.h"

namespace weir {

/// What the brokers' configuration allows, as far as it may be looked at (the right to describe the cluster's
/// configuration).
struct BrokerLimits {
  std::optional<Duration> transaction_timeout;  ///< transaction.max.timeout.ms
  std::optional<Duration> offsets_retention;    ///< offsets.retention.minutes: of groups without members
};

/// Asks one broker. Blocks, at most a few seconds. What it does not tell stays empty.
BrokerLimits broker_limits(rd_kafka_t* client);

}  // namespace weir
