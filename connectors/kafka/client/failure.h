#pragma once
#include <librdkafka/rdkafka.h>

#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace weir {

/// True for what passes by itself soon: a leader or coordinator that moves, or whose topic or group is new.
bool passes_soon(rd_kafka_resp_err_t code);

/// Whose doing an error of Kafka is: missing rights and wrong credentials are kUser, a fenced producer kFenced, what
/// concerns one record for good kData, everything else kEnvironment.
Blame blame_of(rd_kafka_resp_err_t code);

/// True if the broker will never take this record: too large, no key in a compacted topic, a time it does not accept.
bool concerns_record(rd_kafka_resp_err_t code);

/// `reading orders-3: Broker: Not authorized to access topic (TOPIC_AUTHORIZATION_FAILED); …`. `detail` is what librdkafka
/// says about this case; `what` says what was tried. What to do is said by the code, unless `advice` does.
Error kafka_error(std::string_view what, rd_kafka_resp_err_t code, std::string_view detail = {},
                  std::string_view advice = {});

/// What to do where a connection failed for its security protocol: one side speaks TLS and the other does not, or the
/// certificate is not trusted. `failure` is librdkafka's text; empty where that is no such failure.
std::string_view protocol_advice(std::string_view failure);

/// Throws kafka_error unless `code` is none.
void check_kafka(std::string_view what, rd_kafka_resp_err_t code);

/// How a missing topic is said, with the command that makes it.
std::string no_such_topic(std::string_view topic, std::string_view brokers);

}  // namespace weir
