#include "tests/support/kafka_client.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tests/support/kafka_produce.h"
#include "tests/support/temporary_folder.h"

namespace weir {

namespace {

using Clock = std::chrono::steady_clock;
using Partitions = std::unique_ptr<rd_kafka_topic_partition_list_t, decltype(&rd_kafka_topic_partition_list_destroy)>;
using Event = std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)>;
using Queue = std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)>;
using AdminOptions = std::unique_ptr<rd_kafka_AdminOptions_t, decltype(&rd_kafka_AdminOptions_destroy)>;
using Client = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;

Partitions partition_list(const std::string& topic, int partitions) {
  Partitions list(rd_kafka_topic_partition_list_new(partitions), rd_kafka_topic_partition_list_destroy);
  for (int p = 0; p < partitions; ++p) rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), p);
  return list;
}

Client consumer(const std::string& brokers, Isolation isolation, const std::string& group = "tests") {
  const bool committed = isolation == Isolation::kReadCommitted;
  return {new_kafka(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers},
                                        {"group.id", group},
                                        {"enable.auto.commit", "false"},
                                        {"auto.offset.reset", "error"},
                                        {"enable.partition.eof", "true"},
                                        {"fetch.wait.max.ms", "10"},
                                        {"fetch.error.backoff.ms", "10"},
                                        {"isolation.level", committed ? "read_committed" : "read_uncommitted"}}),
          rd_kafka_destroy};
}

/// Waits for the answer of an admin call made with `queue`, and checks the answer as a whole.
Event admin_answer(rd_kafka_queue_t* queue, const std::string& what) {
  Event event(rd_kafka_queue_poll(queue, kKafkaTimeoutMs), rd_kafka_event_destroy);
  if (!event) throw std::runtime_error(what + ": no answer within 30 s");
  if (rd_kafka_event_error(event.get())) throw std::runtime_error(what + ": " + rd_kafka_event_error_string(event.get()));
  return event;
}

void check_topics(const rd_kafka_topic_result_t** results, size_t count, const std::string& what) {
  for (size_t i = 0; i < count; ++i)
    if (auto error = rd_kafka_topic_result_error(results[i]))
      throw std::runtime_error(what + ": " + rd_kafka_err2str(error));
}

/// Where a partition begins and ends; the end is the last stable offset when the client is a read_committed one.
struct Range {
  std::int64_t begin = 0, end = 0;
};

/// True for what a broker answers for a moment that has just started, or just made the topic.
bool passes_soon(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION || error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

/// Asks until the partition's leader knows that it is one.
rd_kafka_resp_err_t query_range(rd_kafka_t* client, const std::string& topic, int partition, Range& range) {
  const auto patience = Clock::now() + std::chrono::seconds(20);
  for (;;) {
    const auto error =
        rd_kafka_query_watermark_offsets(client, topic.c_str(), partition, &range.begin, &range.end, kKafkaTimeoutMs);
    if (!passes_soon(error) || Clock::now() > patience) return error;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::vector<Range> ranges_of(rd_kafka_t* client, const std::string& topic, int partitions) {
  if (partitions == 0) throw std::runtime_error("there is no topic " + topic);
  std::vector<Range> ranges(partitions);
  for (int p = 0; p < partitions; ++p)
    check_kafka(query_range(client, topic, p, ranges[p]), "asking for the end of topic " + topic);
  return ranges;
}

std::optional<std::string> bytes(const void* data, size_t size) {
  if (data == nullptr) return std::nullopt;
  return std::string(static_cast<const char*>(data), size);
}

KafkaRecord record_of(const rd_kafka_message_t& message) {
  KafkaRecord record;
  record.key = bytes(message.key, message.key_len);
  record.value = bytes(message.payload, message.len);
  record.partition = message.partition;
  record.offset = message.offset;
  record.timestamp = rd_kafka_message_timestamp(&message, nullptr);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
      record.headers.emplace_back(name, bytes(value, size));
  }
  return record;
}

}  // namespace

std::string brokers_from_environment() {
  const char* brokers = std::getenv("KAFKA_BROKERS");
  if (brokers == nullptr || *brokers == '\0')
    throw std::runtime_error("this test needs a Kafka broker: export $(tools/kafka start), or set KAFKA_BROKERS");
  return brokers;
}

void KafkaClient::Destroy::operator()(rd_kafka_s* client) const { rd_kafka_destroy(client); }

KafkaClient::KafkaClient(std::string brokers) : brokers_(std::move(brokers)) {}
KafkaClient::~KafkaClient() = default;

rd_kafka_s* KafkaClient::producer() {
  if (!producer_)
    producer_.reset(new_kafka(
        RD_KAFKA_PRODUCER,
        {{"bootstrap.servers", brokers_}, {"linger.ms", "5"}, {"partitioner", "murmur2"}, {"enable.idempotence", "true"}}));
  return producer_.get();
}

void KafkaClient::create_topic(const std::string& topic, int partitions, const std::map<std::string, std::string>& config) {
  const std::string what = "creating topic " + topic;
  rd_kafka_NewTopic_t* wanted = rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, nullptr, 0);
  std::map<std::string, std::string> properties{{"retention.ms", "-1"}};
  for (const auto& [name, value] : config) properties[name] = value;
  for (const auto& [name, value] : properties) rd_kafka_NewTopic_set_config(wanted, name.c_str(), value.c_str());
  Queue queue(rd_kafka_queue_new(producer()), rd_kafka_queue_destroy);
  rd_kafka_CreateTopics(producer(), &wanted, 1, nullptr, queue.get());
  rd_kafka_NewTopic_destroy(wanted);
  Event answer = admin_answer(queue.get(), what);
  size_t count = 0;
  const auto** results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(answer.get()), &count);
  check_topics(results, count, what);
  wait_for_partitions(topic, partitions, what);
}

std::string KafkaClient::new_topic(std::string_view prefix, int partitions,
                                   const std::map<std::string, std::string>& config) {
  std::string topic = unique_name(prefix);
  create_topic(topic, partitions, config);
  return topic;
}

void KafkaClient::delete_topic(const std::string& topic) {
  const std::string what = "deleting topic " + topic;
  rd_kafka_DeleteTopic_t* unwanted = rd_kafka_DeleteTopic_new(topic.c_str());
  Queue queue(rd_kafka_queue_new(producer()), rd_kafka_queue_destroy);
  rd_kafka_DeleteTopics(producer(), &unwanted, 1, nullptr, queue.get());
  rd_kafka_DeleteTopic_destroy(unwanted);
  Event answer = admin_answer(queue.get(), what);
  size_t count = 0;
  const auto** results = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(answer.get()), &count);
  check_topics(results, count, what);
  wait_for_partitions(topic, 0, what);
}

void KafkaClient::wait_for_partitions(const std::string& topic, int count, const std::string& what) {
  const auto patience = Clock::now() + std::chrono::milliseconds(kKafkaTimeoutMs);
  while (partitions(topic) != count) {
    if (Clock::now() > patience) throw std::runtime_error(what + ": the broker does not show it within 30 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int KafkaClient::partitions(const std::string& topic) {
  std::unique_ptr<rd_kafka_topic_t, decltype(&rd_kafka_topic_destroy)> handle(
      rd_kafka_topic_new(producer(), topic.c_str(), nullptr), rd_kafka_topic_destroy);
  const rd_kafka_metadata_t* metadata = nullptr;
  check_kafka(rd_kafka_metadata(producer(), 0, handle.get(), &metadata, kKafkaTimeoutMs), "asking for topic " + topic);
  int count = 0;
  if (metadata->topic_cnt == 1 && metadata->topics[0].err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const rd_kafka_metadata_topic& found = metadata->topics[0];
    for (int p = 0; p < found.partition_cnt; ++p) count += found.partitions[p].leader >= 0;
  }
  rd_kafka_metadata_destroy(metadata);
  return count;
}

void KafkaClient::produce(const std::string& topic, const std::vector<KafkaRecord>& records) {
  produce_records(producer(), topic, records);
}

void KafkaClient::produce_values(const std::string& topic, const std::vector<std::string>& values, int partition) {
  std::vector<KafkaRecord> records(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    records[i].value = values[i];
    records[i].partition = partition;
  }
  produce(topic, records);
}

std::vector<KafkaRecord> KafkaClient::consume(const std::string& topic, Isolation isolation) {
  Client client = consumer(brokers_, isolation);
  rd_kafka_poll_set_consumer(client.get());
  const std::vector<Range> ranges = ranges_of(client.get(), topic, partitions(topic));
  Partitions assigned = partition_list(topic, static_cast<int>(ranges.size()));
  std::vector<bool> done(ranges.size());
  for (int p = 0; p < assigned->cnt; ++p) {
    assigned->elems[p].offset = ranges[p].begin;
    done[p] = ranges[p].begin == ranges[p].end;
  }
  check_kafka(rd_kafka_assign(client.get(), assigned.get()), "reading topic " + topic);
  std::vector<KafkaRecord> records;
  const auto patience = Clock::now() + std::chrono::milliseconds(kKafkaTimeoutMs);
  while (std::count(done.begin(), done.end(), false) > 0) {
    if (Clock::now() > patience) throw std::runtime_error("reading topic " + topic + ": not at its end after 30 s");
    rd_kafka_message_t* message = rd_kafka_consumer_poll(client.get(), 100);
    if (message == nullptr) continue;
    std::unique_ptr<rd_kafka_message_t, decltype(&rd_kafka_message_destroy)> owned(message, rd_kafka_message_destroy);
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // At the end as it is now; with transactions this is behind the last record that can be seen.
      if (message->offset >= ranges[message->partition].end) done[message->partition] = true;
    } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (message->err != RD_KAFKA_RESP_ERR__TRANSPORT && message->err != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
        throw std::runtime_error("reading topic " + topic + ": " + rd_kafka_message_errstr(message));
    } else {
      const std::int64_t end = ranges[message->partition].end;
      if (message->offset < end) records.push_back(record_of(*message));
      if (message->offset >= end - 1) done[message->partition] = true;
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const KafkaRecord& a, const KafkaRecord& b) { return a.partition < b.partition; });
  return records;
}

std::vector<std::string> KafkaClient::consume_values(const std::string& topic, Isolation isolation) {
  std::vector<std::string> values;
  for (KafkaRecord& record : consume(topic, isolation)) values.push_back(record.value ? std::move(*record.value) : "<null>");
  return values;
}

std::map<int, std::int64_t> KafkaClient::end_offsets(const std::string& topic, Isolation isolation) {
  const std::vector<Range> ranges = ranges_of(consumer(brokers_, isolation).get(), topic, partitions(topic));
  std::map<int, std::int64_t> ends;
  for (size_t p = 0; p < ranges.size(); ++p) ends[static_cast<int>(p)] = ranges[p].end;
  return ends;
}

void KafkaClient::delete_records(const std::string& topic, int partition, std::int64_t offset) {
  Partitions list(rd_kafka_topic_partition_list_new(1), rd_kafka_topic_partition_list_destroy);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  rd_kafka_DeleteRecords_t* wanted = rd_kafka_DeleteRecords_new(list.get());
  Queue queue(rd_kafka_queue_new(producer()), rd_kafka_queue_destroy);
  rd_kafka_DeleteRecords(producer(), &wanted, 1, nullptr, queue.get());
  rd_kafka_DeleteRecords_destroy(wanted);
  Event answer = admin_answer(queue.get(), "deleting records of topic " + topic);
  const auto* deleted = rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(answer.get()));
  for (int i = 0; i < deleted->cnt; ++i) check_kafka(deleted->elems[i].err, "deleting records of topic " + topic);
}

std::map<int, KafkaPosition> KafkaClient::committed(const std::string& group, const std::string& topic) {
  Client client = consumer(brokers_, Isolation::kReadCommitted, group);
  Partitions list = partition_list(topic, partitions(topic));
  check_kafka(rd_kafka_committed(client.get(), list.get(), kKafkaTimeoutMs), "asking for the positions of group " + group);
  std::map<int, KafkaPosition> positions;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& entry = list->elems[i];
    if (entry.offset >= 0)
      positions[entry.partition] = {entry.offset,
                                    std::string(static_cast<const char*>(entry.metadata), entry.metadata_size)};
  }
  return positions;
}

void KafkaClient::commit(const std::string& group, const std::string& topic, const std::map<int, KafkaPosition>& positions) {
  Client client = consumer(brokers_, Isolation::kReadCommitted, group);
  Partitions list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())),
                  rd_kafka_topic_partition_list_destroy);
  for (const auto& [partition, position] : positions) {
    rd_kafka_topic_partition_t* entry = rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
    entry->offset = position.offset;
    entry->metadata = strdup(position.metadata.c_str());  // the list frees it
    entry->metadata_size = position.metadata.size();
  }
  check_kafka(rd_kafka_commit(client.get(), list.get(), 0), "committing for group " + group);
}

}  // namespace weir
