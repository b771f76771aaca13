#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/client.h"

namespace weir::bench {

/// Writes rows to a topic as fast as librdkafka goes: rows of one partition are collected in a block and handed over in one
/// call, without copying. A block is used again once all its rows are acknowledged. One thread.
class RowProducer {
 public:
  /// Rows are at most `row_bytes` long. The settings must not restrict the reports of deliveries.
  RowProducer(const Settings& settings, const std::string& topic, std::size_t row_bytes);
  RowProducer(const RowProducer&) = delete;
  ~RowProducer();

  /// Where the next row of a partition is to be written.
  char* row(int partition);
  /// The row is complete and ends at `end`. Waits when too much is under way.
  void end_row(int partition, char* end);
  /// Hands over all that is collected.
  void send();
  /// Waits until everything is acknowledged.
  void flush();

  int partitions() const { return static_cast<int>(pending_.size()); }
  rd_kafka_t* client() const { return client_; }
  std::uint64_t rows() const { return rows_; }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t used = 0;
    int open = 0;  ///< rows that are not acknowledged
    std::vector<rd_kafka_message_t> messages;
  };
  void send(int partition);
  Block* free_block();
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self);

  std::size_t row_bytes_;
  rd_kafka_t* client_;
  rd_kafka_topic_t* topic_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> free_;
  std::vector<Block*> pending_;  ///< of each partition; may be null
  std::uint64_t rows_ = 0;
};

}  // namespace weir::bench
