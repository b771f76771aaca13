#pragma once
#include <librdkafka/rdkafka.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/context.h"
#include "runtime/data/buffer.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// What one task of a sink knows of its rows that are under way. The task asks, the producer's thread answers; shared by
/// both, so that an answer that comes after the task is gone does no harm. Thread-safe.
class Deliveries {
 public:
  /// A row that the broker will never take.
  struct Refused {
    rd_kafka_resp_err_t code;
    std::string topic;
    std::optional<std::string> key, value;
  };
  /// Why rows could not be delivered though nothing is wrong with them.
  struct Failure {
    rd_kafka_resp_err_t code;
    std::string topic;
  };

  explicit Deliveries(Waker waker) : waker_(std::move(waker)) {}

  /// Batches that are not answered completely.
  std::int64_t open() const { return open_.load(std::memory_order_acquire); }
  /// Rows acknowledged since the beginning.
  std::uint64_t acknowledged() const { return acknowledged_.load(std::memory_order_relaxed); }
  /// Rows that guarantee none gave up since the last call.
  std::uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }

  /// Asks to be woken once when a batch is answered or wake() is called. Look again after it: it may have been answered
  /// before.
  void arm() { armed_.store(true); }
  void disarm() { armed_.store(false); }
  void wake() {
    if (armed_.exchange(false)) waker_();
  }

  /// True if there is something to take; cheap.
  bool has_trouble() const { return trouble_.load(std::memory_order_acquire); }
  std::vector<Refused> take_refused();
  std::optional<Failure> failure() const;

  // Called by the sender and the producer.
  void sent() { open_.fetch_add(1, std::memory_order_relaxed); }
  void answered(std::uint64_t acknowledged, Buffer memory);
  void refused(Refused row);
  void failed(Failure failure);
  void lost() { lost_.fetch_add(1, std::memory_order_relaxed); }

  /// Memory of a batch that was answered, to be used again; empty if there is none.
  Buffer take_memory();

 private:
  static constexpr std::size_t kKeptBuffers = 4;

  Waker waker_;
  std::atomic<std::int64_t> open_{0};
  std::atomic<std::uint64_t> acknowledged_{0}, lost_{0};
  std::atomic<bool> armed_{false}, trouble_{false};
  mutable std::mutex mutex_;
  std::vector<Refused> refused_;
  std::optional<Failure> failure_;
  std::vector<Buffer> memory_;
};

class Producer;

/// The rows of a batch on their way to the broker. librdkafka sends keys and values from where they lie, so they stay until
/// the last row is answered; then the batch deletes itself. Every message carries it as its opaque pointer.
class SentBatch {
 public:
  /// `values` holds the encoded values, or `rows` the columns in which they lie. `count` messages follow.
  SentBatch(std::shared_ptr<Deliveries> task, Producer& producer, Buffer values, BatchPtr rows, std::int32_t count);

  const Buffer& values() const { return values_; }
  /// The producer answered `count` messages, or the sender found that it will not take them.
  void answer(std::int32_t count, std::int32_t acknowledged);
  /// The sender has handed over all messages; the batch may be gone after this call.
  void all_sent() { answer(1, 0); }
  Deliveries& task() { return *task_; }
  Producer& producer() { return producer_; }

 private:
  ~SentBatch() = default;

  std::shared_ptr<Deliveries> task_;
  Producer& producer_;
  Buffer values_;
  BatchPtr rows_;
  std::int64_t bytes_;
  std::atomic<std::int32_t> open_;
  std::atomic<std::int32_t> acknowledged_{0};
};

}  // namespace weir
