#include "tests/support/kafka_produce.h"

#include <memory>
#include <stdexcept>

namespace weir {

namespace {

/// What the delivery report callback keeps: the first refusal. One per call of produce_records, as every message's opaque.
struct Deliveries {
  rd_kafka_resp_err_t first_error = RD_KAFKA_RESP_ERR_NO_ERROR;
};

void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  auto* deliveries = static_cast<Deliveries*>(message->_private);
  if (deliveries != nullptr && deliveries->first_error == RD_KAFKA_RESP_ERR_NO_ERROR) deliveries->first_error = message->err;
}

void enqueue(rd_kafka_t* producer, rd_kafka_topic_t* topic, const KafkaRecord& record, Deliveries& deliveries) {
  rd_kafka_headers_t* headers = record.headers.empty() ? nullptr : rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers)
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value ? value->data() : nullptr,
                        value ? static_cast<ssize_t>(value->size()) : 0);
  rd_kafka_vu_t fields[8];
  size_t count = 0;
  const auto field = [&](rd_kafka_vtype_t type) -> auto& {
    fields[count].vtype = type;
    return fields[count++].u;
  };
  const auto bytes = [](auto& target, const std::optional<std::string>& text) {
    target.mem.ptr = text ? const_cast<char*>(text->data()) : nullptr;
    target.mem.size = text ? text->size() : 0;
  };
  field(RD_KAFKA_VTYPE_RKT).rkt = topic;
  field(RD_KAFKA_VTYPE_PARTITION).i32 = record.partition;
  bytes(field(RD_KAFKA_VTYPE_KEY), record.key);
  bytes(field(RD_KAFKA_VTYPE_VALUE), record.value);
  field(RD_KAFKA_VTYPE_TIMESTAMP).i64 = record.timestamp;
  field(RD_KAFKA_VTYPE_MSGFLAGS).i = RD_KAFKA_MSG_F_COPY;
  field(RD_KAFKA_VTYPE_OPAQUE).ptr = &deliveries;
  if (headers != nullptr) field(RD_KAFKA_VTYPE_HEADERS).headers = headers;
  while (rd_kafka_error_t* error = rd_kafka_produceva(producer, fields, count)) {
    const bool full = rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR__QUEUE_FULL;
    const std::string text = rd_kafka_error_string(error);
    rd_kafka_error_destroy(error);
    if (!full) {
      if (headers != nullptr) rd_kafka_headers_destroy(headers);
      throw std::runtime_error(std::string("writing to topic ") + rd_kafka_topic_name(topic) + ": " + text);
    }
    rd_kafka_poll(producer, 10);
  }
}

}  // namespace

void check_kafka(rd_kafka_resp_err_t error, const std::string& what) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(what + ": " + rd_kafka_err2str(error));
}

rd_kafka_t* new_kafka(rd_kafka_type_t type, const std::map<std::string, std::string>& properties) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char text[512];
  for (const auto& [name, value] : properties)
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text, sizeof text) != RD_KAFKA_CONF_OK) {
      rd_kafka_conf_destroy(conf);
      throw std::runtime_error(text);
    }
  rd_kafka_conf_set_log_cb(conf, nullptr);
  if (type == RD_KAFKA_PRODUCER) rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
  rd_kafka_t* client = rd_kafka_new(type, conf, text, sizeof text);
  if (client == nullptr) {
    rd_kafka_conf_destroy(conf);
    throw std::runtime_error(text);
  }
  return client;
}

void produce_records(rd_kafka_t* producer, const std::string& topic, const std::vector<KafkaRecord>& records) {
  Deliveries deliveries;
  // A topic given by name only is looked up by a timer, up to a second later; a handle asks for it at once.
  std::unique_ptr<rd_kafka_topic_t, decltype(&rd_kafka_topic_destroy)> handle(
      rd_kafka_topic_new(producer, topic.c_str(), nullptr), rd_kafka_topic_destroy);
  size_t enqueued = 0;
  try {
    for (const KafkaRecord& record : records) {
      enqueue(producer, handle.get(), record, deliveries);
      if (++enqueued % 1000 == 0) rd_kafka_poll(producer, 0);
    }
  } catch (...) {
    rd_kafka_purge(producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_flush(producer, kKafkaTimeoutMs);  // no report may come when `deliveries` is gone
    throw;
  }
  const rd_kafka_resp_err_t flushed = rd_kafka_flush(producer, kKafkaTimeoutMs);
  if (flushed != RD_KAFKA_RESP_ERR_NO_ERROR) {
    rd_kafka_purge(producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_flush(producer, kKafkaTimeoutMs);
  }
  check_kafka(flushed, "writing to topic " + topic);
  check_kafka(deliveries.first_error, "writing to topic " + topic);
}

}  // namespace weir
