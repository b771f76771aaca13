#pragma once
#include <memory>
#include <vector>

#include "connectors/kafka/source/consumption.h"
#include "connectors/kafka/source/fingerprint.h"
#include "connectors/kafka/source/record_decoder.h"
#include "runtime/api/batch_size.h"
#include "runtime/api/source.h"

namespace weir {

/// Reads partitions of Kafka topics inside one task. Each batch is of one split; the splits take turns.
class KafkaReader final : public SourceReader {
 public:
  KafkaReader(KafkaSourceSettingsPtr settings, const AttemptContext& attempt);
  ~KafkaReader() override;

  void open(const TaskContext& task) override;
  void add_splits(std::vector<SplitState> splits) override;
  void no_more_splits() override { no_more_splits_ = true; }
  InputStatus poll_next(SourceOutput& out) override;
  std::vector<SplitState> splits() const override;
  ErrorRow record_of(std::int64_t row) const override;
  bool is_caught_up(const SplitState& split) const override;
  std::vector<std::optional<std::int64_t>> known_ends() const override;
  void on_committed(Epoch epoch, const std::vector<SplitState>& splits) override;

 private:
  struct Split {
    SplitState state;
    std::unique_ptr<Consumption::Partition> partition;  ///< null when it ended before it was read
    bool at_end = false;                                ///< an end of partition was the last thing that came
    std::optional<Fingerprint> last_read;               ///< of the record before state.next
    Timestamp event_time = Timestamp::none();           ///< largest of the rows that were not refused
  };
  struct Waking;

  void start(Split& split);
  void renew_consumption();
  static std::optional<std::int64_t> end_of(const Split& split);
  bool poll_splits(SourceOutput& out);
  void order_by_event_time();
  std::size_t poll_split(Split& split, SourceOutput& out);
  void take(Split& split, std::span<rd_kafka_message_t* const> arrived, SourceOutput& out);
  void emit(Split& split, SourceOutput& out);
  void take_event(Split& split, const rd_kafka_message_t& event);
  void offset_is_gone(Split& split, const rd_kafka_message_t& event);
  bool all_ended() const;
  void wake_broker(const Split& split);
  static void post_wake(BlockingPool& pool, std::shared_ptr<Waking> waking, std::shared_ptr<Consumption> consumption,
                        TopicPartition partition);
  bool wake_is_due() const;
  void count_lag();
  Duration now() const { return attempt_.clock->steady(); }

  KafkaSourceSettingsPtr settings_;
  const AttemptContext& attempt_;
  TaskContext task_;
  RecordDecoder decoder_;
  ErrorBatchBuilder errors_;
  std::shared_ptr<Consumption> consumption_;  ///< made with the first splits; shared with requests that are under way
  PrefetchLimits limits_;                     ///< its
  std::vector<std::unique_ptr<Split>> splits_;
  std::vector<rd_kafka_message_t*> arrived_;  ///< of one poll, kept for its memory
  std::vector<rd_kafka_message_t*> records_;  ///< those of them that are to be emitted
  BatchSize batch_size_;
  std::vector<Split*> order_;                ///< in which the splits are asked
  std::size_t turn_ = 0;                     ///< which of them is asked first
  const Split* without_progress_ = nullptr;  ///< had the last turn, which did not move its event time
  bool no_more_splits_ = false;
  std::shared_ptr<Waking> waking_;
  Duration last_wake_{}, last_lag_{};
  std::map<TopicPartition, std::int64_t> committed_;  ///< what the group was told last
};

}  // namespace weir
