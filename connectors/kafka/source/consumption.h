#pragma once
#include <librdkafka/rdkafka.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "connectors/kafka/client/topic_partition.h"
#include "connectors/kafka/source/group_offsets.h"
#include "connectors/kafka/source/source_settings.h"
#include "runtime/api/context.h"

namespace weir {

/// How much librdkafka may hold ready for one split. More costs memory, less costs pauses.
struct PrefetchLimits {
  int messages = 20'000;
  int kilobytes = 4096;

  /// For one of `splits` splits of one of `tasks` tasks of a job with a budget of `memory` bytes: an eighth of it for all.
  static PrefetchLimits of(std::size_t memory, int tasks, std::size_t splits);
  /// True if `others` hold so much less that a client with these would leave its budget.
  bool exceed(const PrefetchLimits& others) const {
    return messages > others.messages + others.messages / 2 || kilobytes > others.kilobytes + others.kilobytes / 2;
  }
};

/// The consumer of one task. The partitions are given to it one by one, each with a queue of its own, and are never balanced
/// with other consumers. Calls come from the task's thread but for wake_broker, which may run anywhere and keep the object
/// alive.
class Consumption {
 public:
  /// What a client error made of it: set by callbacks, asked by the task.
  struct Failure {
    rd_kafka_resp_err_t code;
    std::string text;
  };

  /// One partition that is being read.
  class Partition {
   public:
    Partition(Consumption& owner, const TopicPartition& id, std::int64_t offset);
    ~Partition();
    Partition(const Partition&) = delete;
    Partition& operator=(const Partition&) = delete;

    /// Takes up to `most` records (or errors, or ends of partition) that are there. Does not wait. The caller destroys them.
    std::size_t take(rd_kafka_message_t** records, std::size_t most);
    /// Records ready to be taken.
    std::size_t ready() const { return rd_kafka_queue_length(queue_.get()); }
    /// Goes on from another offset; what was ready is dropped.
    void seek(std::int64_t offset);
    /// Fetches no more; what is ready may be dropped.
    void pause();
    /// The end of the partition as of the last fetch; nothing before the first.
    std::optional<std::int64_t> known_end() const;

   private:
    static void on_records(rd_kafka_t*, void* self);

    Consumption& owner_;
    TopicPartition id_;
    rd_kafka_topic_t* topic_;
    QueuePtr queue_;
    std::atomic<bool> maybe_more_{true};
    bool paused_ = false;
  };

  Consumption(const KafkaSourceSettings& settings, PrefetchLimits limits, const TaskContext& task);
  ~Consumption();

  /// Serves callbacks of the client. Returns what ended it, if anything.
  std::optional<Failure> serve();
  /// Writes positions for the source's group, without waiting. Only with a group that is committed to.
  void commit(const GroupOffsets::Positions& positions) { group_offsets_->commit(positions); }
  /// True if its client is to be given up for another: a request to the group's coordinator has been under way for too long.
  bool is_stuck() const { return group_offsets_ && group_offsets_->is_stuck(); }
  /// Blocks for a request to the broker that leads the partition, at most a second. See KafkaReader::wake_broker.
  void wake_broker(const TopicPartition& partition);

 private:
  rd_kafka_topic_t* topic(const std::string& name);

  Waker waker_;
  std::mutex mutex_;
  std::optional<Failure> failure_;  // under mutex_
  std::atomic<bool> callbacks_ready_{true};
  std::unique_ptr<Client> client_;
  QueuePtr main_queue_;
  std::map<std::string, TopicPtr> topics_;
  std::unique_ptr<GroupOffsets> group_offsets_;
};

}  // namespace weir
