#include "connectors/kafka/source/group_offsets.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <thread>

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/client/lookup.h"

namespace weir {
namespace {

using EventPtr = std::unique_ptr<rd_kafka_event_t, DestroyHandle<rd_kafka_event_destroy>>;

/// The first error of an answer: of the request, the group, or a partition.
rd_kafka_resp_err_t error_of(rd_kafka_event_t* event) {
  if (const rd_kafka_resp_err_t code = rd_kafka_event_error(event)) return code;
  const auto* result = rd_kafka_event_AlterConsumerGroupOffsets_result(event);
  std::size_t count = 0;
  const rd_kafka_group_result_t** groups =
      result ? rd_kafka_AlterConsumerGroupOffsets_result_groups(result, &count) : nullptr;
  if (count == 0) return RD_KAFKA_RESP_ERR__BAD_MSG;
  if (const rd_kafka_error_t* error = rd_kafka_group_result_error(groups[0])) return rd_kafka_error_code(error);
  const rd_kafka_topic_partition_list_t* list = rd_kafka_group_result_partitions(groups[0]);
  for (int i = 0; list && i < list->cnt; ++i)
    if (list->elems[i].err) return list->elems[i].err;
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace

GroupOffsets::GroupOffsets(rd_kafka_t* client, std::string source, std::string group, std::function<void()> answered,
                           std::function<void(Duration)> later)
    : client_(client),
      source_(std::move(source)),
      group_(std::move(group)),
      answered_(std::move(answered)),
      answers_(rd_kafka_queue_new(client)),
      later_(std::move(later)) {
  rd_kafka_queue_cb_event_enable(
      answers_.get(), [](rd_kafka_t*, void* self) { static_cast<GroupOffsets*>(self)->answered_(); }, this);
}

GroupOffsets::~GroupOffsets() {
  rd_kafka_queue_cb_event_enable(answers_.get(), nullptr, nullptr);
  later_ = nullptr;
  const SteadyClock::time_point deadline = sent_at_ + kLastAnswer;
  while (under_way_ || (tries_ > 0 && !waiting_.empty())) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
    if (!under_way_ && left > 0) {
      std::this_thread::sleep_for(kPause);
      send();
      continue;
    }
    if (under_way_ && take_answer(static_cast<int>(std::max<std::int64_t>(0, left)))) continue;
    spdlog::warn(
        "source {}: whether the offsets of group {} were committed is not known: no answer for {} s (they are for "
        "monitoring only)",
        source_, group_, kLastAnswer.count() / 1000);
    return;
  }
}

void GroupOffsets::commit(const Positions& positions) {
  for (const auto& [partition, offset] : positions) waiting_[partition] = offset;
  serve();
  if (!under_way_) return send();
  if (SteadyClock::now() - sent_at_ < kNoAnswer || std::exchange(told_, true)) return;
  spdlog::warn(
      "source {}: the offsets of group {} are not committed for now: no answer for {} s (they are for monitoring only)",
      source_, group_, kNoAnswer.count());
}

void GroupOffsets::serve() {
  take_answer(0);
  if (is_due()) send();
}

/// Takes an answer and sends what waited for it. False if none came.
bool GroupOffsets::take_answer(int limit_ms) {
  const EventPtr event(rd_kafka_queue_poll(answers_.get(), limit_ms));
  if (!event) return false;
  under_way_ = told_ = false;
  const rd_kafka_resp_err_t code = error_of(event.get());
  if (code && passes_soon(code) && ++tries_ < kMostTries) {
    waiting_.merge(sent_);  // what came meanwhile is newer
    again_at_ = SteadyClock::now() + kPause;
    if (later_) later_(Duration::milliseconds(kPause.count()));
    return true;
  }
  tries_ = 0;
  if (code)
    spdlog::warn("source {}: the offsets of group {} could not be committed: {} (they are for monitoring only)", source_,
                 group_, rd_kafka_err2str(code));
  if (!waiting_.empty()) send();
  return true;
}

void GroupOffsets::send() {
  const PartitionListPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(waiting_.size())));
  for (const auto& [p, offset] : waiting_)
    rd_kafka_topic_partition_list_add(list.get(), p.topic.c_str(), p.partition)->offset = offset;
  sent_ = std::exchange(waiting_, {});
  const std::unique_ptr<rd_kafka_AdminOptions_t, DestroyHandle<rd_kafka_AdminOptions_destroy>> options(
      rd_kafka_AdminOptions_new(client_, RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS));
  char text[256];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kCoordinatorRequestMs, text, sizeof text);
  rd_kafka_AlterConsumerGroupOffsets_t* request = rd_kafka_AlterConsumerGroupOffsets_new(group_.c_str(), list.get());
  rd_kafka_AlterConsumerGroupOffsets(client_, &request, 1, options.get(), answers_.get());
  rd_kafka_AlterConsumerGroupOffsets_destroy(request);
  under_way_ = true;
  sent_at_ = SteadyClock::now();
}

}  // namespace weir
