#include "connectors/kafka/client/broker_limits.h"

#include <spdlog/spdlog.h>

#include <charconv>
#include <memory>

#include "connectors/kafka/client/handles.h"

namespace weir {
namespace {

constexpr int kTimeoutMs = 3000;

using EventPtr = std::unique_ptr<rd_kafka_event_t, DestroyHandle<rd_kafka_event_destroy>>;

void read_entry(const rd_kafka_ConfigEntry_t& entry, BrokerLimits& limits) {
  const char* raw = rd_kafka_ConfigEntry_value(&entry);
  if (!raw) return;
  const std::string_view name = rd_kafka_ConfigEntry_name(&entry), value = raw;
  std::int64_t number = 0;
  if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc()) return;
  if (name == "transaction.max.timeout.ms") limits.transaction_timeout = Duration::milliseconds(number);
  if (name == "offsets.retention.minutes") limits.offsets_retention = Duration::seconds(number * 60);
}

}  // namespace

BrokerLimits broker_limits(rd_kafka_t* client) {
  BrokerLimits limits;
  const std::int32_t broker = rd_kafka_controllerid(client, kTimeoutMs);
  if (broker < 0) return limits;
  rd_kafka_ConfigResource_t* resource =
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_BROKER, std::to_string(broker).c_str());
  const std::unique_ptr<rd_kafka_AdminOptions_t, DestroyHandle<rd_kafka_AdminOptions_destroy>> options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  char text[256];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kTimeoutMs, text, sizeof text);
  const QueuePtr queue(rd_kafka_queue_new(client));
  rd_kafka_DescribeConfigs(client, &resource, 1, options.get(), queue.get());
  rd_kafka_ConfigResource_destroy(resource);
  const EventPtr event(rd_kafka_queue_poll(queue.get(), kTimeoutMs + 500));
  const rd_kafka_DescribeConfigs_result_t* result = event ? rd_kafka_event_DescribeConfigs_result(event.get()) : nullptr;
  if (!result || rd_kafka_event_error(event.get())) return limits;
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** found = rd_kafka_DescribeConfigs_result_resources(result, &count);
  if (count == 0 || rd_kafka_ConfigResource_error(found[0])) {
    spdlog::debug("the broker's limits are not known: {}",
                  count ? rd_kafka_err2str(rd_kafka_ConfigResource_error(found[0])) : "no answer");
    return limits;
  }
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(found[0], &count);
  for (std::size_t i = 0; i < count; ++i) read_entry(*entries[i], limits);
  return limits;
}

}  // namespace weir
