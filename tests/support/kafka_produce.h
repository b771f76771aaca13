#pragma once
#include <librdkafka/rdkafka.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/kafka_client.h"

namespace weir {

/// How long calls of KafkaClient and KafkaTransaction wait.
constexpr int kKafkaTimeoutMs = 30'000;

/// Throws std::runtime_error "what: librdkafka's text" unless `error` is none.
void check_kafka(rd_kafka_resp_err_t error, const std::string& what);

/// A client with these properties; the caller destroys it. Its log is silent: brokers are stopped on purpose in tests.
rd_kafka_t* new_kafka(rd_kafka_type_t type, const std::map<std::string, std::string>& properties);

/// Writes records with a producer made by new_kafka and waits until all are acknowledged. Throws when one is refused.
void produce_records(rd_kafka_t* producer, const std::string& topic, const std::vector<KafkaRecord>& records);

}  // namespace weir
