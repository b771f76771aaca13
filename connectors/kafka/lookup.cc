#include "connectors/kafka/lookup.h"

#include <chrono>
#include <thread>

#include "connectors/kafka/failure.h"

namespace weir {
namespace {

using MetadataPtr = std::unique_ptr<const rd_kafka_metadata_t, DestroyHandle<rd_kafka_metadata_destroy>>;

PartitionListPtr make_list(const std::vector<TopicPartition>& partitions, std::int64_t offset) {
  PartitionListPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const TopicPartition& p : partitions) rd_kafka_topic_partition_list_add(list.get(), p.topic.c_str(), p.partition)->offset = offset;
  return list;
}

std::map<TopicPartition, std::optional<std::int64_t>> read_list(const char* what, const rd_kafka_topic_partition_list_t& list) {
  std::map<TopicPartition, std::optional<std::int64_t>> out;
  for (int i = 0; i < list.cnt; ++i) {
    const rd_kafka_topic_partition_t& p = list.elems[i];
    check_kafka(fmt::format("{} of {}-{}", what, p.topic, p.partition), p.err);
    out[{p.topic, p.partition}] = p.offset >= 0 ? std::optional(p.offset) : std::nullopt;
  }
  return out;
}

int partition_count(rd_kafka_t* client, const std::string& topic) {
  const TopicPtr handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const std::string what = fmt::format("looking for topic '{}'", topic);
  for (int attempt = 0;; ++attempt) {
    const rd_kafka_metadata_t* raw = nullptr;
    check_kafka(what, rd_kafka_metadata(client, 0, handle.get(), &raw, kLookupTimeoutMs));
    const MetadataPtr metadata(raw);
    const rd_kafka_metadata_topic_t& found = metadata->topics[0];
    const bool missing = found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    if (!missing && found.err != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {
      check_kafka(what, found.err);
      return found.partition_cnt;
    }
    if (attempt == 5) {
      if (!missing) check_kafka(what, found.err);
      return 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace

std::map<std::string, int> partition_counts(rd_kafka_t* client, const std::vector<std::string>& topics) {
  std::map<std::string, int> out;
  for (const std::string& topic : topics) out[topic] = partition_count(client, topic);
  return out;
}

std::map<std::string, int> all_topics(rd_kafka_t* client) {
  const rd_kafka_metadata_t* raw = nullptr;
  check_kafka("listing the topics", rd_kafka_metadata(client, 1, nullptr, &raw, kLookupTimeoutMs));
  const MetadataPtr metadata(raw);
  std::map<std::string, int> out;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic_t& topic = metadata->topics[i];
    if (!topic.err && !std::string_view(topic.topic).starts_with("__")) out[topic.topic] = topic.partition_cnt;
  }
  return out;
}

OffsetRange query_range(rd_kafka_t* client, const TopicPartition& p) {
  OffsetRange range;
  check_kafka(fmt::format("asking for the offsets of {}-{}", p.topic, p.partition),
              rd_kafka_query_watermark_offsets(client, p.topic.c_str(), p.partition, &range.low, &range.high, kLookupTimeoutMs));
  return range;
}

std::map<TopicPartition, std::optional<std::int64_t>> offsets_at(rd_kafka_t* client, const std::vector<TopicPartition>& partitions, Timestamp time) {
  if (partitions.empty()) return {};
  const PartitionListPtr list = make_list(partitions, time.micros / 1000);
  check_kafka("asking for offsets by time", rd_kafka_offsets_for_times(client, list.get(), kLookupTimeoutMs));
  return read_list("asking for the offset by time", *list);
}

std::map<TopicPartition, std::optional<std::int64_t>> committed_offsets(rd_kafka_t* client, const std::vector<TopicPartition>& partitions) {
  if (partitions.empty()) return {};
  const PartitionListPtr list = make_list(partitions, RD_KAFKA_OFFSET_INVALID);
  check_kafka("asking for the group's offsets", rd_kafka_committed(client, list.get(), kLookupTimeoutMs));
  return read_list("asking for the group's offset", *list);
}

}  // namespace weir
