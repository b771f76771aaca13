#pragma once
#include <librdkafka/rdkafka.h>

#include <memory>

namespace weir {

/// Calls librdkafka's destroy function of a handle.
template <auto destroy>
struct DestroyHandle {
  template <typename T>
  void operator()(T* handle) const {
    destroy(handle);
  }
};

/// Handles of librdkafka that are destroyed with their owner. A client must outlive its topics and queues.
using ClientPtr = std::unique_ptr<rd_kafka_t, DestroyHandle<rd_kafka_destroy>>;
using TopicPtr = std::unique_ptr<rd_kafka_topic_t, DestroyHandle<rd_kafka_topic_destroy>>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, DestroyHandle<rd_kafka_queue_destroy>>;
using PartitionListPtr =
    std::unique_ptr<rd_kafka_topic_partition_list_t, DestroyHandle<rd_kafka_topic_partition_list_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, DestroyHandle<rd_kafka_message_destroy>>;

}  // namespace weir
