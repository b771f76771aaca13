#pragma once
#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <vector>

#include "connectors/kafka/client/lookup.h"
#include "connectors/kafka/source/source_settings.h"

namespace weir {

using Offsets = std::map<TopicPartition, std::int64_t>;

/// Throws weir::Error (user) if `start` or `end` names a partition that is not there: a typing error would go unnoticed.
void check_names(const KafkaSourceSettings& settings, const Ranges& ranges);

/// Turns `start` into a number for each partition, asking the cluster. Throws weir::Error (user) where nothing is committed
/// and no fallback given, and where a written offset is not there yet; where it was deleted `offset_lost` holds.
Offsets resolve_start(const KafkaSourceSettings& settings, rd_kafka_t* client, const Ranges& ranges);
/// Turns `end` into a number for each partition. The source has an end.
Offsets resolve_end(const KafkaSourceSettings& settings, rd_kafka_t* client, const Ranges& ranges);

}  // namespace weir
