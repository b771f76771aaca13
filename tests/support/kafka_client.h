#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct rd_kafka_s;

namespace weir {

/// A record as it lies in a topic. Null and empty differ everywhere: null is nullopt.
struct KafkaRecord {
  std::optional<std::string> key, value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;  ///< In order, duplicates kept.
  int partition = -1;          ///< Producing: -1 leaves it to the partitioner (murmur2 of the key, as Java clients do).
  std::int64_t timestamp = 0;  ///< Milliseconds since the epoch; producing: 0 means now.
  std::int64_t offset = -1;    ///< Set by reading.

  bool operator==(const KafkaRecord&) const = default;
};

enum class Isolation { kReadCommitted, kReadUncommitted };

/// A committed position of a consumer group.
struct KafkaPosition {
  std::int64_t offset;
  std::string metadata{};
};

/// The brokers that tests use: KAFKA_BROKERS. Throws std::runtime_error that says how to start one when it is not set.
std::string brokers_from_environment();

/// What tests need of a Kafka cluster, each call complete in itself. Failures and calls that take more than 30 s throw
/// std::runtime_error with librdkafka's text. Not thread-safe; several may live side by side.
class KafkaClient {
 public:
  explicit KafkaClient(std::string brokers = brokers_from_environment());
  ~KafkaClient();
  const std::string& brokers() const { return brokers_; }

  /// Makes a topic without retention and waits until it can be used.
  void create_topic(const std::string& topic, int partitions, const std::map<std::string, std::string>& config = {});
  /// create_topic under unique_name(prefix), which it returns.
  std::string new_topic(std::string_view prefix, int partitions = 1, const std::map<std::string, std::string>& config = {});
  /// Deletes a topic and waits until it is gone.
  void delete_topic(const std::string& topic);
  /// The number of partitions, 0 when there is no such topic.
  int partitions(const std::string& topic);

  /// Writes records in order and waits until all are acknowledged.
  void produce(const std::string& topic, const std::vector<KafkaRecord>& records);
  /// The same with values only, all into `partition` (-1: any).
  void produce_values(const std::string& topic, const std::vector<std::string>& values, int partition = -1);

  /// All records from the beginning to the end as it is now, by partition and offset. The end for kReadCommitted is the
  /// last stable offset: records behind an open transaction are not there yet.
  std::vector<KafkaRecord> consume(const std::string& topic, Isolation isolation = Isolation::kReadCommitted);
  /// The values of consume(); null values are "<null>".
  std::vector<std::string> consume_values(const std::string& topic, Isolation isolation = Isolation::kReadCommitted);

  /// Per partition: the next offset to be written (kReadUncommitted), or the last stable offset (kReadCommitted).
  std::map<int, std::int64_t> end_offsets(const std::string& topic, Isolation isolation = Isolation::kReadUncommitted);
  /// Deletes all records before `offset` of a partition, as retention would.
  void delete_records(const std::string& topic, int partition, std::int64_t offset);

  /// What a group has committed for a topic, without partitions that have nothing.
  std::map<int, KafkaPosition> committed(const std::string& group, const std::string& topic);
  /// Commits positions for a group without members.
  void commit(const std::string& group, const std::string& topic, const std::map<int, KafkaPosition>& positions);

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };
  rd_kafka_s* producer();
  void wait_for_partitions(const std::string& topic, int count, const std::string& what);

  std::string brokers_;
  std::unique_ptr<rd_kafka_s, Destroy> producer_;  ///< Also the admin client; made at first use.
};

/// A transaction of a producer of its own. At the end of its life one that was neither committed nor aborted stays open on
/// the broker until its timeout, as after a crash.
class KafkaTransaction {
 public:
  /// Begins it. `timeout_ms`: after so long the broker aborts it. Failures throw std::runtime_error.
  explicit KafkaTransaction(const std::string& id, std::string brokers = brokers_from_environment(),
                            int timeout_ms = 60'000);
  ~KafkaTransaction();
  KafkaTransaction(const KafkaTransaction&) = delete;
  KafkaTransaction& operator=(const KafkaTransaction&) = delete;

  /// Writes records and waits until all are acknowledged.
  void produce(const std::string& topic, const std::vector<KafkaRecord>& records);
  void commit();
  void abort();

 private:
  rd_kafka_s* producer_;
};

}  // namespace weir
