#include "connectors/kafka/client/lookup.h"

#include <chrono>
#include <thread>

#include "connectors/kafka/client/client.h"
#include "connectors/kafka/client/failure.h"

namespace weir {
namespace {

using MetadataPtr = std::unique_ptr<const rd_kafka_metadata_t, DestroyHandle<rd_kafka_metadata_destroy>>;

PartitionListPtr make_list(const std::vector<TopicPartition>& partitions, std::int64_t offset) {
  PartitionListPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const TopicPartition& p : partitions)
    rd_kafka_topic_partition_list_add(list.get(), p.topic.c_str(), p.partition)->offset = offset;
  return list;
}

/// Asks until the answer is not one that passes soon, for five seconds.
template <typename Ask>
rd_kafka_resp_err_t ask_again(Ask ask) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (;;) {
    const rd_kafka_resp_err_t code = ask();
    if (!passes_soon(code) || std::chrono::steady_clock::now() > end) return code;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

/// The first error of a partition in the list.
rd_kafka_resp_err_t first_error(const rd_kafka_topic_partition_list_t& list) {
  for (int i = 0; i < list.cnt; ++i)
    if (list.elems[i].err) return list.elems[i].err;
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/// Fills in the offsets of a list with `ask(list)`, and reads them; negative ones are none.
template <typename Ask>
std::map<TopicPartition, std::optional<std::int64_t>> ask_for_list(const char* what,
                                                                   const std::vector<TopicPartition>& partitions,
                                                                   std::int64_t offset, Ask ask) {
  if (partitions.empty()) return {};
  PartitionListPtr list;
  const rd_kafka_resp_err_t code = ask_again([&] {
    list = make_list(partitions, offset);
    const rd_kafka_resp_err_t error = ask(list.get());
    return error ? error : first_error(*list);
  });
  std::map<TopicPartition, std::optional<std::int64_t>> out;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& p = list->elems[i];
    check_kafka(fmt::format("{} of {}-{}", what, p.topic, p.partition), p.err);
    out[{p.topic, p.partition}] = p.offset >= 0 ? std::optional(p.offset) : std::nullopt;
  }
  check_kafka(what, code);
  return out;
}

int partition_count(rd_kafka_t* client, const std::string& topic) {
  const TopicPtr handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const std::string what = fmt::format("looking for topic '{}'", topic);
  for (int attempt = 0;; ++attempt) {
    const rd_kafka_metadata_t* raw = nullptr;
    contact(client, what, kLookupTimeoutMs, [&](int ms) { return rd_kafka_metadata(client, 0, handle.get(), &raw, ms); });
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

void wait_for_broker(rd_kafka_t* client, std::string_view what) {
  const rd_kafka_metadata_t* raw = nullptr;
  contact(client, what, kLookupTimeoutMs, [&](int ms) { return rd_kafka_metadata(client, 0, nullptr, &raw, ms); });
  const MetadataPtr metadata(raw);
}

std::map<std::string, int> partition_counts(rd_kafka_t* client, const std::vector<std::string>& topics) {
  std::map<std::string, int> out;
  for (const std::string& topic : topics) out[topic] = partition_count(client, topic);
  return out;
}

std::map<std::string, int> all_topics(rd_kafka_t* client) {
  const rd_kafka_metadata_t* raw = nullptr;
  contact(client, "listing the topics", kLookupTimeoutMs,
          [&](int ms) { return rd_kafka_metadata(client, 1, nullptr, &raw, ms); });
  const MetadataPtr metadata(raw);
  std::map<std::string, int> out;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic_t& topic = metadata->topics[i];
    if (!topic.err && !std::string_view(topic.topic).starts_with("__")) out[topic.topic] = topic.partition_cnt;
  }
  return out;
}

Ranges query_ranges(rd_kafka_t* client, const std::vector<TopicPartition>& partitions) {
  // Not rd_kafka_query_watermark_offsets: its time-out bounds the search for the leader only, and it waits for minutes for
  // the answer of a broker that hangs.
  const auto ask = [&](std::int64_t logical) {
    return ask_for_list("asking for the offsets", partitions, logical,
                        [&](auto* list) { return rd_kafka_offsets_for_times(client, list, kLookupTimeoutMs); });
  };
  const auto lows = ask(RD_KAFKA_OFFSET_BEGINNING), highs = ask(RD_KAFKA_OFFSET_END);
  Ranges ranges;
  for (const TopicPartition& p : partitions) {
    OffsetRange& range = ranges[p];
    range.low = lows.at(p).value_or(0);
    range.high = std::max(range.low, highs.at(p).value_or(0));
  }
  return ranges;
}

std::map<TopicPartition, std::optional<std::int64_t>> offsets_at(rd_kafka_t* client,
                                                                 const std::vector<TopicPartition>& partitions,
                                                                 Timestamp time) {
  if (time.micros < 0)
    throw Error(Blame::kBug, "offsets cannot be asked for by a time before 1970: negative numbers mean ends");
  return ask_for_list("asking for the offset by time", partitions, (time.micros + 999) / 1000,
                      [&](auto* list) { return rd_kafka_offsets_for_times(client, list, kLookupTimeoutMs); });
}

std::map<TopicPartition, std::optional<std::int64_t>> committed_offsets(rd_kafka_t* client,
                                                                        const std::vector<TopicPartition>& partitions) {
  return ask_for_list("asking for the group's offset", partitions, RD_KAFKA_OFFSET_INVALID,
                      [&](auto* list) { return rd_kafka_committed(client, list, kLookupTimeoutMs); });
}

}  // namespace weir
