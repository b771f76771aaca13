#pragma once
#include <librdkafka/rdkafka.h>

#include <vector>

#include "connectors/kafka/source/resolve.h"
#include "connectors/kafka/source/source_settings.h"
#include "runtime/api/snapshot.h"

namespace weir {

// Whether the positions of a checkpoint still mean the same records.

/// For each split: true if its topic is another one of the same name: the position lies behind the end, or the record before
/// it is not the one that was read. A record that is gone proves nothing. `client` reads uncommitted. Blocks until all are
/// read, however many there are; weir::Error (environment) when none comes for ten seconds.
std::vector<bool> find_recreated(rd_kafka_t* client, const std::vector<SplitState>& splits, const Ranges& ranges);

/// Follows `topic_recreated`: weir::Error (refused), or the split begins anew.
void take_recreated(const KafkaSourceSettings& settings, SplitState& split, const OffsetRange& range);

/// A position that the job was told to go on from.
struct GivenPosition {
  std::string by;  ///< `the checkpoint`, `group readers`
  TopicPartition partition;
  std::int64_t next;
};
/// The position, if its record was not deleted. Else follows `offset_lost`: weir::Error (refused) that names what is wanted
/// and what is there, or the beginning or end, and what is lost is counted in the log.
std::int64_t there_or_lost(const KafkaSourceSettings& settings, const GivenPosition& position, const OffsetRange& range);
/// there_or_lost for a split of the checkpoint.
void take_lost(const KafkaSourceSettings& settings, SplitState& split, const OffsetRange& range);

}  // namespace weir
