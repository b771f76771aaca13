#include <spdlog/spdlog.h>

#include <charconv>

#include "connectors/kafka/client/lookup.h"

namespace weir {
namespace {

using EventPtr = std::unique_ptr<rd_kafka_event_t, DestroyHandle<rd_kafka_event_destroy>>;

void read_entry(const rd_kafka_ConfigEntry_t& entry, TopicLimits& limits) {
  const char* raw = rd_kafka_ConfigEntry_value(&entry);
  if (!raw) return;
  const std::string_view name = rd_kafka_ConfigEntry_name(&entry), value = raw;
  const auto read = [&](std::int64_t& number) { std::from_chars(value.data(), value.data() + value.size(), number); };
  if (name == "max.message.bytes") read(limits.largest_batch);
  if (name == "message.timestamp.after.max.ms") read(limits.most_ahead_ms);
  if (name == "message.timestamp.before.max.ms") read(limits.most_behind_ms);
  if (name == "message.timestamp.type") limits.checks_times = value == "CreateTime";
  if (name == "cleanup.policy") limits.compacted = value.find("compact") != std::string_view::npos;
}

TopicLimits read_resource(const rd_kafka_ConfigResource_t& resource) {
  TopicLimits limits;
  if (rd_kafka_ConfigResource_error(&resource)) {
    spdlog::debug("topic {}: its configuration cannot be read: {}", rd_kafka_ConfigResource_name(&resource),
                  rd_kafka_err2str(rd_kafka_ConfigResource_error(&resource)));
    return limits;
  }
  std::size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(&resource, &count);
  for (std::size_t i = 0; i < count; ++i) read_entry(*entries[i], limits);
  return limits;
}

}  // namespace

std::map<std::string, TopicLimits> topic_limits(rd_kafka_t* client, const std::vector<std::string>& topics) {
  std::map<std::string, TopicLimits> out;
  for (const std::string& topic : topics) out[topic];
  std::vector<rd_kafka_ConfigResource_t*> resources;
  for (const std::string& topic : topics)
    resources.push_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  const std::unique_ptr<rd_kafka_AdminOptions_t, DestroyHandle<rd_kafka_AdminOptions_destroy>> options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  char text[256];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kLookupTimeoutMs, text, sizeof text);
  const QueuePtr queue(rd_kafka_queue_new(client));
  rd_kafka_DescribeConfigs(client, resources.data(), resources.size(), options.get(), queue.get());
  rd_kafka_ConfigResource_destroy_array(resources.data(), resources.size());
  const EventPtr event(rd_kafka_queue_poll(queue.get(), kLookupTimeoutMs + 1000));
  const rd_kafka_DescribeConfigs_result_t* result = event ? rd_kafka_event_DescribeConfigs_result(event.get()) : nullptr;
  if (!result || rd_kafka_event_error(event.get())) return out;  // not allowed, or too old a broker: the defaults
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** found = rd_kafka_DescribeConfigs_result_resources(result, &count);
  for (std::size_t i = 0; i < count; ++i) out[rd_kafka_ConfigResource_name(found[i])] = read_resource(*found[i]);
  return out;
}

}  // namespace weir
