#include "tools/bench/client.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace weir::bench {

void check(rd_kafka_resp_err_t code, const std::string& what) {
  if (code) throw std::runtime_error(what + ": " + rd_kafka_err2str(code));
}

void check(rd_kafka_error_t* error, const std::string& what) {
  if (!error) return;
  const std::string text = what + ": " + rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
  throw std::runtime_error(text);
}

rd_kafka_t* new_client(rd_kafka_type_t type, const Settings& settings, rd_kafka_conf_t* prepared) {
  rd_kafka_conf_t* conf = prepared ? prepared : rd_kafka_conf_new();
  char text[512];
  for (const auto& [name, value] : settings)
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text, sizeof text) != RD_KAFKA_CONF_OK)
      throw std::runtime_error(name + ": " + text);
  rd_kafka_t* client = rd_kafka_new(type, conf, text, sizeof text);
  if (!client) throw std::runtime_error(text);
  return client;
}

Settings producer_settings(const std::string& brokers, const std::string& linger_ms) {
  return {{"bootstrap.servers", brokers},
          {"compression.codec", "lz4"},
          {"linger.ms", linger_ms},
          {"batch.num.messages", "10000"},
          {"batch.size", "1000000"},
          {"queue.buffering.max.messages", "1000000"},
          {"queue.buffering.max.kbytes", "1000000"},
          {"enable.idempotence", "true"}};
}

int partition_count(rd_kafka_t* client, const std::string& topic) {
  rd_kafka_topic_t* handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  for (int tries = 0; tries < 50; ++tries) {  // a topic that was just made is not known everywhere
    if (tries) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const rd_kafka_metadata_t* metadata = nullptr;
    check(rd_kafka_metadata(client, 0, handle, &metadata, 15'000), "looking up topic " + topic);
    code = metadata->topics[0].err;
    const int partitions = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
    if (code || partitions == 0) continue;
    rd_kafka_topic_destroy(handle);
    return partitions;
  }
  check(code, "looking up topic " + topic);
  throw std::runtime_error("topic " + topic + " has no partitions");
}

std::vector<std::int64_t> end_offsets(rd_kafka_t* client, const std::string& topic, int partitions) {
  std::vector<std::int64_t> ends;
  for (int p = 0; p < partitions; ++p) {
    std::int64_t low = 0, high = 0;
    check(rd_kafka_query_watermark_offsets(client, topic.c_str(), p, &low, &high, 15'000), "asking for the end of " + topic);
    ends.push_back(high);
  }
  return ends;
}

rd_kafka_queue_t* consume_all(rd_kafka_t* consumer, const std::string& topic, int partitions) {
  rd_kafka_poll_set_consumer(consumer);
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(partitions);
  for (int p = 0; p < partitions; ++p)
    rd_kafka_topic_partition_list_add(list, topic.c_str(), p)->offset = RD_KAFKA_OFFSET_BEGINNING;
  check(rd_kafka_assign(consumer, list), "reading " + topic);
  rd_kafka_topic_partition_list_destroy(list);
  return rd_kafka_queue_get_consumer(consumer);
}

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

}  // namespace weir::bench
