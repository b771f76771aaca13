#include <stdexcept>

#include "tests/support/kafka_produce.h"

namespace weir {

namespace {

void check(rd_kafka_error_t* error, const char* what) {
  if (error == nullptr) return;
  const std::string text = std::string(what) + ": " + rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
  throw std::runtime_error(text);
}

}  // namespace

KafkaTransaction::KafkaTransaction(const std::string& id, std::string brokers, int timeout_ms)
    : producer_(new_kafka(RD_KAFKA_PRODUCER, {{"bootstrap.servers", brokers},
                                              {"transactional.id", id},
                                              {"transaction.timeout.ms", std::to_string(timeout_ms)},
                                              {"message.timeout.ms", std::to_string(std::min(timeout_ms, kKafkaTimeoutMs))},
                                              {"partitioner", "murmur2"},
                                              {"linger.ms", "5"}})) {
  try {
    check(rd_kafka_init_transactions(producer_, kKafkaTimeoutMs), "init_transactions");
    check(rd_kafka_begin_transaction(producer_), "begin_transaction");
  } catch (...) {
    rd_kafka_destroy(producer_);
    throw;
  }
}

KafkaTransaction::~KafkaTransaction() { rd_kafka_destroy(producer_); }

void KafkaTransaction::produce(const std::string& topic, const std::vector<KafkaRecord>& records) {
  produce_records(producer_, topic, records);
}

void KafkaTransaction::commit() { check(rd_kafka_commit_transaction(producer_, kKafkaTimeoutMs), "commit_transaction"); }

void KafkaTransaction::abort() { check(rd_kafka_abort_transaction(producer_, kKafkaTimeoutMs), "abort_transaction"); }

}  // namespace weir
