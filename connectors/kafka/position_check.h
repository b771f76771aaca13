#pragma once
#include <librdkafka/rdkafka.h>

#include <vector>

#include "connectors/kafka/resolve.h"
#include "connectors/kafka/source_settings.h"
#include "runtime/api/snapshot.h"

namespace weir {

// Whether the positions of a checkpoint still mean the same records.

/// For each split: true if its topic is another one of the same name: the position lies behind the end, or the record before
/// it is not the one that was read. A record that is gone proves nothing. `client` reads uncommitted; blocks up to ten
/// seconds.
std::vector<bool> find_recreated(rd_kafka_t* client, const std::vector<SplitState>& splits, const Ranges& ranges);

/// Follows `topic_recreated`: weir::Error (refused), or the split begins anew.
void take_recreated(const KafkaSourceSettings& settings, SplitState& split, const OffsetRange& range);
/// Follows `offset_lost` if the position was deleted: weir::Error (refused) that names what is wanted and what is there, or
/// the split goes on at its beginning or end, and what is lost is counted in the log.
void take_lost(const KafkaSourceSettings& settings, SplitState& split, const OffsetRange& range);

}  // namespace weir
