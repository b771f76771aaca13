#pragma once
#include <librdkafka/rdkafka.h>

#include <memory>
#include <vector>

#include "connectors/kafka/exactly_once/lanes.h"
#include "connectors/kafka/sink/deliveries.h"
#include "connectors/kafka/sink/row_headers.h"
#include "connectors/kafka/sink/sink_batch.h"
#include "runtime/api/evaluation.h"
#include "runtime/base/error.h"

namespace weir {

/// Writes rows to Kafka topics inside one task.
///
/// A batch is encoded into one buffer, sorted by partition and handed to librdkafka partition by partition without copying.
/// It answers kWait while too much is under way, and at a barrier until all it sent is
/// acknowledged. Exactly once: rows of epoch N go into the transaction of lane N; after barrier N it goes on in that of N+1.
class KafkaSinkOperator final : public Operator {
 public:
  KafkaSinkOperator(KafkaSinkSettingsPtr settings, AttemptContext& attempt);
  ~KafkaSinkOperator() override;

  void open(const TaskContext& task) override;
  Progress process(int input, BatchPtr batch, Output& out) override;
  Progress on_barrier(Epoch epoch, Output& out) override;
  Progress on_end(Output& out) override;
  Progress resume(Output& out) override;

 private:
  Progress go_on(Output& out);
  void settle_barrier();
  void find_producers();
  void use_lane();
  void check_producer() const;
  void prepare();
  bool send();
  bool send_run(const BucketOrder::Run& run);
  bool send_batch(const BucketOrder::Run& run, rd_kafka_topic_t* topic, std::int32_t partition);
  bool send_one_by_one(const BucketOrder::Run& run, rd_kafka_topic_t* topic, std::int32_t partition);
  bool taken(std::int32_t row, rd_kafka_resp_err_t code);
  void finish_batch(Output& out);
  void take_trouble(Output& out);
  Error refused_in_transaction(const Deliveries::Refused& row) const;
  void bad_row(std::string_view reason, std::optional<std::string_view> key, std::optional<std::string_view> value,
               std::int64_t row);
  void emit_bad_rows(Output& out);
  bool must_wait(bool for_all);

  KafkaSinkSettingsPtr settings_;
  AttemptContext& attempt_;
  TaskContext task_;
  Evaluation evaluation_;
  std::shared_ptr<const SinkTopics> topics_;
  std::shared_ptr<Lanes> lanes_;  ///< exactly once
  Lane* lane_ = nullptr;          ///< that of epoch_
  Epoch epoch_;
  std::shared_ptr<Producer> producer_;      ///< in use: a lane's, or one for all epochs
  std::vector<rd_kafka_topic_t*> handles_;  ///< its topics, in order
  std::shared_ptr<Deliveries> deliveries_;
  SinkBatch rows_;
  HeaderWriter headers_;
  std::vector<rd_kafka_message_t> messages_;  ///< of one run

  BatchPtr batch_;             ///< taken and not yet sent completely
  SentBatch* sent_ = nullptr;  ///< set while batch_ is being sent
  std::int32_t unsent_ =
      0;                 ///< its rows that librdkafka did not take and that are not answered: no report will come for them
  std::size_t run_ = 0;  ///< which run of rows_.order() is next
  std::int32_t position_ = 0;     ///< the next row in it
  bool drain_ = false;            ///< a barrier or the end waits for all answers
  std::optional<Epoch> barrier_;  ///< being passed
  Duration slow_until_{};         ///< steady time until which the barrier is held up, for tests
  ErrorBatchBuilder bad_rows_;
};

}  // namespace weir
