#include "connectors/kafka/source/resolve.h"

#include "connectors/kafka/source/position_check.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

std::vector<TopicPartition> keys(const Ranges& ranges) {
  std::vector<TopicPartition> out;
  for (const auto& [partition, range] : ranges) out.push_back(partition);
  return out;
}

/// Offsets at a time; where no record is so late: the end. No record has a time before 1970, so the first one is the one
/// after that; Kafka is not asked, to which negative times mean the ends.
Offsets at_time(rd_kafka_t* client, const Ranges& ranges, Timestamp time) {
  Offsets out;
  if (time < Timestamp{}) {
    for (const auto& [partition, range] : ranges) out[partition] = range.low;
    return out;
  }
  for (const auto& [partition, offset] : offsets_at(client, keys(ranges), time))
    out[partition] = offset.value_or(ranges.at(partition).high);
  return out;
}

std::int64_t written_position(const KafkaSourceSettings& settings, const TopicPartition& p, std::int64_t offset,
                              const OffsetRange& range) {
  if (offset > range.high)
    throw Error(Blame::kUser, fmt::format("source {}: start names offset {} of {}-{}, but there are {} to {}", settings.name,
                                          offset, p.topic, p.partition, range.low, range.high));
  return there_or_lost(settings, {"start: {offsets} in the file", p, offset}, range);
}

std::int64_t committed_position(const KafkaSourceSettings& settings, const TopicPartition& p, std::int64_t offset,
                                const OffsetRange& range) {
  const std::string group = "group " + settings.group;
  if (offset > range.high)
    throw Error(Blame::kRefused,
                fmt::format("source {}: {} has committed {} for {}-{}, but there are {} to {}: the topic was made again, or "
                            "the group has read what a transaction under way holds back; "
                            "commit another position for the group, or write start: earliest",
                            settings.name, group, offset, p.topic, p.partition, range.low, range.high));
  return there_or_lost(settings, {group, p, offset}, range);
}

Offsets from_committed(const KafkaSourceSettings& settings, const Ranges& ranges) {
  const auto client = settings.new_group_consumer();
  Offsets out;
  for (const auto& [p, offset] : committed_offsets(client->get(), keys(ranges))) {
    const OffsetRange& range = ranges.at(p);
    if (offset) {
      out[p] = committed_position(settings, p, *offset, range);
    } else if (settings.start.fallback == StartRule::Fallback::kFail) {
      throw Error(Blame::kUser, fmt::format("source {}: group {} has committed nothing for {}-{}; write start: {{committed: "
                                            "earliest}} or {{committed: latest}} to say "
                                            "where to begin then",
                                            settings.name, settings.group, p.topic, p.partition));
    } else {
      out[p] = settings.start.fallback == StartRule::Fallback::kEarliest ? range.low : range.high;
    }
  }
  return out;
}

void check_partitions(const KafkaSourceSettings& settings, const char* key, const WrittenOffsets& written,
                      const Ranges& ranges) {
  for (const auto& [topic, partitions] : written.topics)
    for (const auto& [partition, offset] : partitions) {
      const bool found = std::any_of(ranges.begin(), ranges.end(), [&, t = topic, p = partition](const auto& r) {
        return r.first.partition == p && (t.empty() || r.first.topic == t);
      });
      if (!found)
        throw Error(Blame::kUser,
                    fmt::format("source {}: {} names partition {}, which is not there", settings.name, key,
                                topic.empty() ? std::to_string(partition) : fmt::format("{}-{}", topic, partition)));
    }
}

}  // namespace

void check_names(const KafkaSourceSettings& settings, const Ranges& ranges) {
  check_partitions(settings, "start", settings.start.offsets, ranges);
  check_partitions(settings, "end", settings.end.offsets, ranges);
}

Offsets resolve_start(const KafkaSourceSettings& settings, rd_kafka_t* client, const Ranges& ranges) {
  const StartRule& start = settings.start;
  if (start.kind == StartRule::Kind::kTimestamp) return at_time(client, ranges, start.time);
  if (start.kind == StartRule::Kind::kCommitted) return from_committed(settings, ranges);
  Offsets out;
  for (const auto& [p, range] : ranges) {
    const auto written = start.kind == StartRule::Kind::kOffsets ? start.offsets.find(p.topic, p.partition) : std::nullopt;
    if (written) out[p] = written_position(settings, p, *written, range);
    else out[p] = start.kind == StartRule::Kind::kLatest ? range.high : range.low;
  }
  return out;
}

Offsets resolve_end(const KafkaSourceSettings& settings, rd_kafka_t* client, const Ranges& ranges) {
  const EndRule& end = settings.end;
  if (end.kind == EndRule::Kind::kTimestamp) return at_time(client, ranges, end.time);
  Offsets out;
  for (const auto& [p, range] : ranges) {
    const auto written = end.kind == EndRule::Kind::kOffsets ? end.offsets.find(p.topic, p.partition) : std::nullopt;
    out[p] = written.value_or(range.high);
  }
  return out;
}

}  // namespace weir
