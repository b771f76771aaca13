#include "connectors/kafka/source/consumption.h"

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/client/lookup.h"

namespace weir {

PrefetchLimits PrefetchLimits::of(std::size_t memory, int tasks, std::size_t splits) {
  // librdkafka keeps about half a kilobyte beside the bytes of each record.
  const std::size_t each = memory / 8 / static_cast<std::size_t>(std::max(tasks, 1)) / std::max<std::size_t>(splits, 1);
  return {.messages = static_cast<int>(std::clamp<std::size_t>(each / 1024, 1000, 20'000)),
          .kilobytes = static_cast<int>(std::clamp<std::size_t>(each / 2048, 128, 4096))};
}

Consumption::Consumption(const KafkaSourceSettings& settings, PrefetchLimits limits, const TaskContext& task)
    : waker_(task.waker) {
  ClientEvents events;
  events.error = [this](rd_kafka_resp_err_t code, const std::string& text) {
    if (blame_of(code) != Blame::kUser && code != RD_KAFKA_RESP_ERR__FATAL) return;  // librdkafka tries again by itself
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = Failure{code, text};
  };
  const int fetch_bytes = std::clamp(limits.kilobytes / 4, 64, 1024) * 1024;
  client_ = settings.new_consumer(settings.read_committed,
                                  {{"queued.min.messages", std::to_string(limits.messages)},
                                   {"queued.max.messages.kbytes", std::to_string(limits.kilobytes)},
                                   {"fetch.message.max.bytes", std::to_string(fetch_bytes)}},
                                  std::move(events));
  main_queue_.reset(rd_kafka_queue_get_main(client_->get()));
  rd_kafka_queue_cb_event_enable(
      main_queue_.get(),
      [](rd_kafka_t*, void* self) {
        auto& consumption = *static_cast<Consumption*>(self);
        consumption.callbacks_ready_ = true;
        consumption.waker_();
      },
      this);
  if (!settings.group.empty() && settings.commit_offsets)
    group_offsets_ = std::make_unique<GroupOffsets>(
        client_->get(), settings.name, settings.group,
        [this] {
          callbacks_ready_ = true;
          waker_();
        },
        task.wake_after);
}

Consumption::~Consumption() { rd_kafka_queue_cb_event_enable(main_queue_.get(), nullptr, nullptr); }

rd_kafka_topic_t* Consumption::topic(const std::string& name) {
  TopicPtr& topic = topics_[name];
  if (!topic) topic.reset(rd_kafka_topic_new(client_->get(), name.c_str(), nullptr));
  if (!topic) throw kafka_error(fmt::format("reading topic '{}'", name), rd_kafka_last_error());
  return topic.get();
}

std::optional<Consumption::Failure> Consumption::serve() {
  if (!callbacks_ready_.exchange(false) && !(group_offsets_ && group_offsets_->is_due())) return std::nullopt;
  rd_kafka_poll(client_->get(), 0);
  if (group_offsets_) group_offsets_->serve();
  std::lock_guard lock(mutex_);
  return failure_;
}

void Consumption::wake_broker(const TopicPartition& p) {
  const PartitionListPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), p.topic.c_str(), p.partition)->offset = RD_KAFKA_OFFSET_END;
  rd_kafka_offsets_for_times(client_->get(), list.get(), 1000);  // the answer does not matter
}

Consumption::Partition::Partition(Consumption& owner, const TopicPartition& id, std::int64_t offset)
    : owner_(owner), id_(id), topic_(owner.topic(id.topic)), queue_(rd_kafka_queue_new(owner.client_->get())) {
  rd_kafka_queue_cb_event_enable(queue_.get(), on_records, this);
  if (rd_kafka_consume_start_queue(topic_, id.partition, offset, queue_.get()) == 0) return;
  const rd_kafka_resp_err_t code = rd_kafka_last_error();
  rd_kafka_queue_cb_event_enable(queue_.get(), nullptr, nullptr);
  throw kafka_error(fmt::format("reading {}-{} from {}", id.topic, id.partition, offset), code);
}

Consumption::Partition::~Partition() {
  rd_kafka_queue_cb_event_enable(queue_.get(), nullptr, nullptr);
  rd_kafka_consume_stop(topic_, id_.partition);
}

/// Called with the queue's lock held when it is no longer empty.
void Consumption::Partition::on_records(rd_kafka_t*, void* self) {
  auto& partition = *static_cast<Partition*>(self);
  partition.maybe_more_ = true;
  partition.owner_.waker_();
}

std::size_t Consumption::Partition::take(rd_kafka_message_t** records, std::size_t most) {
  if (!maybe_more_.exchange(false)) return 0;
  const ssize_t taken = rd_kafka_consume_batch_queue(queue_.get(), 0, records, most);
  if (taken <= 0) return 0;
  maybe_more_ = true;
  return static_cast<std::size_t>(taken);
}

void Consumption::Partition::seek(std::int64_t offset) { rd_kafka_seek(topic_, id_.partition, offset, 0); }

void Consumption::Partition::pause() {
  if (std::exchange(paused_, true)) return;
  const PartitionListPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), id_.topic.c_str(), id_.partition);
  rd_kafka_pause_partitions(owner_.client_->get(), list.get());
}

std::optional<std::int64_t> Consumption::Partition::known_end() const {
  std::int64_t low = -1, high = -1;
  if (rd_kafka_get_watermark_offsets(owner_.client_->get(), id_.topic.c_str(), id_.partition, &low, &high) || high < 0)
    return std::nullopt;
  return high;
}

}  // namespace weir
