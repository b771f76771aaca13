#pragma once
#include <librdkafka/rdkafka.h>

#include <map>
#include <string>
#include <vector>

namespace weir::bench {

using Settings = std::map<std::string, std::string>;

/// Throw std::runtime_error saying what went wrong while doing `what`, if anything did.
void check(rd_kafka_resp_err_t code, const std::string& what);
void check(rd_kafka_error_t* error, const std::string& what);  ///< frees `error`

/// A client of librdkafka. Lives as long as the process: these programs end without taking it apart.
rd_kafka_t* new_client(rd_kafka_type_t type, const Settings& settings, rd_kafka_conf_t* prepared = nullptr);

/// What every producer here sets: idempotent, lz4, large batches.
Settings producer_settings(const std::string& brokers, const std::string& linger_ms);

int partition_count(rd_kafka_t* client, const std::string& topic);
/// The ends of the partitions as they are now.
std::vector<std::int64_t> end_offsets(rd_kafka_t* client, const std::string& topic, int partitions);
/// Begins to read all partitions of the topic at their start, and returns the queue of what comes.
rd_kafka_queue_t* consume_all(rd_kafka_t* consumer, const std::string& topic, int partitions);

/// A variable of the environment; the empty text counts as not set.
std::string environment(const char* name, const char* otherwise = "");

}  // namespace weir::bench
