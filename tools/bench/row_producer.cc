#include "tools/bench/row_producer.h"

#include <stdexcept>

namespace weir::bench {
namespace {

constexpr std::size_t kRowsOfBlock = 1000, kMostBlocks = 200;

}  // namespace

RowProducer::RowProducer(const Settings& settings, const std::string& topic, std::size_t row_bytes) : row_bytes_(row_bytes) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set_opaque(conf, this);
  rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
  client_ = new_client(RD_KAFKA_PRODUCER, settings, conf);
  pending_.resize(static_cast<std::size_t>(partition_count(client_, topic)));
  topic_ = rd_kafka_topic_new(client_, topic.c_str(), nullptr);
}

RowProducer::~RowProducer() {
  rd_kafka_topic_destroy(topic_);
  rd_kafka_destroy(client_);
}

void RowProducer::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  if (message->err) throw std::runtime_error(std::string("a row was not delivered: ") + rd_kafka_err2str(message->err));
  auto* block = static_cast<Block*>(message->_private);
  if (--block->open > 0) return;
  block->used = 0;
  block->messages.clear();
  static_cast<RowProducer*>(self)->free_.push_back(block);
}

RowProducer::Block* RowProducer::free_block() {
  rd_kafka_poll(client_, 0);
  while (free_.empty() && blocks_.size() >= kMostBlocks) rd_kafka_poll(client_, 10);
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    blocks_.back()->bytes.reset(new char[kRowsOfBlock * row_bytes_]);
    return blocks_.back().get();
  }
  Block* block = free_.back();
  free_.pop_back();
  return block;
}

char* RowProducer::row(int partition) {
  Block*& block = pending_[static_cast<std::size_t>(partition)];
  if (!block) block = free_block();
  return block->bytes.get() + block->used;
}

void RowProducer::end_row(int partition, char* end) {
  Block& block = *pending_[static_cast<std::size_t>(partition)];
  rd_kafka_message_t message{};
  message.payload = block.bytes.get() + block.used;
  message.len = static_cast<std::size_t>(end - block.bytes.get()) - block.used;
  message._private = &block;
  block.used += message.len;
  block.messages.push_back(message);
  ++rows_;
  if (block.messages.size() == kRowsOfBlock) send(partition);
}

void RowProducer::send(int partition) {
  Block* block = std::exchange(pending_[static_cast<std::size_t>(partition)], nullptr);
  if (!block) return;
  const int count = static_cast<int>(block->messages.size());
  block->open = count;
  if (rd_kafka_produce_batch(topic_, partition, 0, block->messages.data(), count) != count)
    throw std::runtime_error("librdkafka did not take all rows");  // its limits are far above kMostBlocks
}

void RowProducer::send() {
  for (int p = 0; p < partitions(); ++p) send(p);
}

void RowProducer::flush() {
  send();
  check(rd_kafka_flush(client_, 120'000), "waiting for acknowledgements");
}

}  // namespace weir::bench
