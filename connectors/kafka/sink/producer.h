#pragma once
#include <librdkafka/rdkafka.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "connectors/kafka/client/client.h"
#include "connectors/kafka/client/cluster.h"
#include "connectors/kafka/sink/deliveries.h"
#include "runtime/base/time.h"

namespace weir {

/// What a sink promises about its rows.
enum class Guarantee {
  kExactlyOnce,  ///< part of a transaction that is committed with the checkpoint
  kAtLeastOnce,  ///< acknowledged by all in-sync replicas before a checkpoint counts
  kNone,         ///< sent once; nobody waits for an answer
};

/// `exactly_once`, `at_least_once`, `none`.
const char* to_string(Guarantee guarantee);

/// How a producer is made. Sinks whose options are equal share one.
struct ProducerOptions {
  Guarantee guarantee = Guarantee::kAtLeastOnce;
  std::int64_t largest_record = 1'048'588;  ///< bytes; larger ones are refused
  std::int64_t largest_batch = 1'000'000;   ///< bytes; the broker refuses larger batches as a whole
  std::size_t memory = 32 << 20;            ///< bytes under way before sinks wait
  std::string transactional_id{};           ///< kExactlyOnce
  Duration transaction_timeout{};           ///< kExactlyOnce

  /// Names the producer among those of the attempt.
  std::string key(const std::string& connection) const;
};

/// A librdkafka producer that all tasks and sinks with the same options share, and the thread that takes its answers.
///
/// Destroying it gives up what is still under way. Thread-safe; used through AttemptContext::shared.
class Producer {
 public:
  Producer(const Cluster& cluster, const ProducerOptions& options);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// The handle of a topic; valid as long as the producer. `properties` are those of its first user.
  rd_kafka_topic_t* topic(const std::string& name, const Properties& properties);
  rd_kafka_t* client() const { return client_->get(); }
  Guarantee guarantee() const { return options_.guarantee; }

  /// Why the producer as a whole came to an end: fenced, login refused, a gap in its sequence. Empty if it did not.
  std::optional<std::pair<rd_kafka_resp_err_t, std::string>> failure() const;
  /// Throws that as weir::Error.
  void check() const;
  /// True once it came to an end; cheap.
  bool broken() const { return broken_; }
  /// True while more rows may be handed over.
  bool has_room() const { return bytes_.load(std::memory_order_relaxed) < limit_; }
  /// Wakes the task when there is room again. Look again after it.
  void wake_when_room(std::shared_ptr<Deliveries> task);

  /// Counts bytes that are under way, or (negative) no more.
  void in_flight(std::int64_t bytes);

 private:
  static void on_delivery(const rd_kafka_message_t& message);
  void take_answers();
  void wake_waiting();

  ProducerOptions options_;
  std::int64_t limit_;
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<bool> someone_waits_{false}, broken_{false};
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Deliveries>> waiting_;                    // under mutex_
  std::optional<std::pair<rd_kafka_resp_err_t, std::string>> failure_;  // under mutex_
  std::map<std::string, TopicPtr> topics_;                              // under mutex_
  std::unique_ptr<Client> client_;
  QueuePtr answers_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace weir
