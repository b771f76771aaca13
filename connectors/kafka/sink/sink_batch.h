#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "connectors/kafka/sink/bucket_order.h"
#include "connectors/kafka/sink/row_bytes.h"
#include "connectors/kafka/sink/sink_settings.h"
#include "connectors/kafka/sink/sink_topics.h"

namespace weir {

/// The rows of one batch as records: key, value, partition and time of each, and what is wrong with those that can be none.
/// Belongs to one task, which uses it for one batch after the other.
class SinkBatch {
 public:
  explicit SinkBatch(KafkaSinkSettingsPtr settings);

  /// Must be called before prepare. `topics` must stay. `task` spreads rows without a key over the partitions.
  void open(const SinkTopics& topics, int task);

  /// Takes a batch; `header_sizes` are the bytes of the headers by row (empty: there are none), `errors` rows of which it is
  /// known that they cannot be sent, `memory` is used for the encoded values. All views are valid until the next call, or
  /// until batch or values are gone.
  void prepare(const BatchPtr& batch, const EvaluationContext& context, std::vector<std::int64_t> header_sizes,
               std::vector<RowError> errors, Buffer memory);

  const RowBytes& keys() const { return *keys_; }
  const RowBytes& values() const { return values_; }
  /// Milliseconds since the epoch by row; 0 is now. Empty if the sink gives no times.
  const std::vector<std::int64_t>& timestamps() const { return timestamps_; }
  /// The rows to send by bucket (SinkTopic::first_bucket + partition).
  const BucketOrder& order() const { return order_; }
  /// The topic that a bucket belongs to.
  const SinkTopic& topic_of(std::int32_t bucket) const;
  /// Rows that cannot be records, ascending, one reason each.
  const std::vector<RowError>& errors() const { return errors_; }
  /// The encoded values; the views into them stay valid as long as the buffer lives.
  Buffer take_memory() { return std::move(memory_); }

 private:
  void write_values(const RecordBatch& batch);
  void make_tombstones(const RecordBatch& batch);
  void leave_out_replaced(const RecordBatch& batch);
  void choose_topics(const RecordBatch& batch, const EvaluationContext& context);
  void choose_partitions(const RecordBatch& batch, const EvaluationContext& context);
  void partition_by_key();
  void choose_timestamps(const RecordBatch& batch, const EvaluationContext& context);
  void take_timestamps(const Column& column);
  void check_rows(Timestamp now);
  void check_timestamp(std::size_t row, const SinkTopic& topic, std::int64_t now_ms);
  void leave_out_errors();
  void refuse(std::size_t row, std::string reason) {
    errors_.push_back({static_cast<std::int32_t>(row), std::move(reason)});
  }

  KafkaSinkSettingsPtr settings_;
  const std::vector<SinkTopic>* topics_ = nullptr;
  std::int32_t bucket_count_ = 0;
  std::int32_t sticky_ = 0;  ///< moves on with every batch
  KeyWriter key_writer_;
  std::unique_ptr<RowEncoder> encoder_;
  std::optional<std::int64_t>
      largest_record_;  ///< bytes of key and value that the client library takes, where the file says so
  const RowBytes* keys_ = nullptr;
  RowBytes values_;
  Buffer memory_;
  std::vector<std::size_t> ends_;
  std::vector<std::int32_t> topic_of_row_;  ///< only with a topic expression
  std::vector<std::int32_t> buckets_;
  std::vector<std::int64_t> timestamps_;
  std::vector<std::int64_t> header_sizes_;
  std::vector<RowError> errors_;
  BucketOrder order_;
};

}  // namespace weir
