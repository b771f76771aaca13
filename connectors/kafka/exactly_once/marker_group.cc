#include "connectors/kafka/exactly_once/marker_group.h"

#include <librdkafka/rdkafka.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <set>
#include <thread>

#include "connectors/kafka/client/client.h"
#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/client/lookup.h"
#include "runtime/base/outside_text.h"

namespace weir {
namespace {

using SteadyClock = std::chrono::steady_clock;
/// The limit of a reading is for commits under way; a coordinator that is only found and connected has so long at least.
constexpr Duration kListLimit = Duration::seconds(10);
using EventPtr = std::unique_ptr<rd_kafka_event_t, DestroyHandle<rd_kafka_event_destroy>>;

/// True for what passes by itself: a commit under way, a coordinator that moves or starts.
bool passes(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__TIMED_OUT: return true;
    default: return false;
  }
}

int milliseconds_until(SteadyClock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 1));
}

Error group_error(const std::string& group, const std::string& topic, rd_kafka_resp_err_t code) {
  const std::string where = topic.empty() ? std::string() : fmt::format(" at topic {}", topic);
  return kafka_error(fmt::format("reading the marker of group {}{}", group, where), code);
}

rd_kafka_resp_err_t first_error(const rd_kafka_topic_partition_list_t& list, std::string& topic) {
  for (int i = 0; i < list.cnt; ++i)
    if (list.elems[i].err) {
      topic = list.elems[i].topic;
      return list.elems[i].err;
    }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace

MarkerGroup::MarkerGroup(const Cluster& cluster, const std::string& job, std::vector<std::string> topics)
    : cluster_(cluster), name_("weir-" + job), topics_(std::move(topics)) {}

rd_kafka_t* MarkerGroup::consumer() {
  if (!consumer_)
    consumer_ = cluster_.new_consumer("group " + name_, {}, {{"group.id", name_}, {"isolation.level", "read_committed"}});
  return consumer_->get();
}

/// The entries of weir among what the group has committed.
std::vector<MarkerEntry> MarkerGroup::entries_of(const rd_kafka_topic_partition_list_t& list) {
  std::vector<MarkerEntry> entries;
  for (int i = 0; i < list.cnt; ++i) {
    const rd_kafka_topic_partition_t& p = list.elems[i];
    if (p.offset < 0) continue;  // nothing is committed for it
    const std::string_view text(static_cast<const char*>(p.metadata), p.metadata ? p.metadata_size : 0);
    if (const auto answer = parse_marker(text)) {
      entries.push_back({p.topic, *answer});
      continue;
    }
    const std::string entry = fmt::format("group {}: the entry for {}-{}", name_, p.topic, p.partition),
                      shown = outside_text(text);
    if (is_of_weir(text))
      throw Error(
          Blame::kRefused,
          fmt::format(
              "{} is a marker that this version of weir cannot read (it reads `weir1 <number> <run>`): another version "
              "committed a checkpoint "
              "with it, and going on without it could lose or double rows; start the job with that version; metadata: '{}'",
              entry, shown));
    if (std::string warning =
            fmt::format("{} is not weir's and is ignored: offset {}, metadata '{}'", entry, p.offset, shown);
        told_.insert(warning).second)
      spdlog::warn("{}", warning);
  }
  return entries;
}

MarkerReading MarkerGroup::read(Duration limit) {
  wait_for_broker(consumer(), fmt::format("reading the marker of group {}", name_));
  const auto end = SteadyClock::now() + std::chrono::microseconds(limit.micros);
  std::set<std::string> topics(topics_.begin(), topics_.end());
  for (std::string& topic : list_topics(std::max(limit, kListLimit))) topics.insert(std::move(topic));
  if (topics.empty()) return {true, std::nullopt};
  for (;;) {
    const PartitionListPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(topics.size())));
    for (const std::string& topic : topics)
      rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0)->offset = RD_KAFKA_OFFSET_INVALID;
    std::string failed;
    rd_kafka_resp_err_t code = rd_kafka_committed(consumer(), list.get(), milliseconds_until(end));
    if (!code) code = first_error(*list, failed);
    if (!code) return {true, newest_marker(name_, entries_of(*list))};
    if (!passes(code)) throw group_error(name_, failed, code);
    if (SteadyClock::now() >= end) {
      if (code == RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT || code == RD_KAFKA_RESP_ERR__TIMED_OUT) return {};
      throw group_error(name_, failed, code);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// The topics on whose partition 0 the group has something. Only names are taken from here: the offsets that this answers
/// may be those before the last commit.
std::vector<std::string> MarkerGroup::list_topics(Duration limit) {
  const auto end = SteadyClock::now() + std::chrono::microseconds(limit.micros);
  for (;;) {
    const std::unique_ptr<rd_kafka_AdminOptions_t, DestroyHandle<rd_kafka_AdminOptions_destroy>> options(
        rd_kafka_AdminOptions_new(consumer(), RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS));
    char text[256];
    rd_kafka_AdminOptions_set_request_timeout(options.get(), kCoordinatorRequestMs, text, sizeof text);
    QueuePtr queue(rd_kafka_queue_new(consumer()));
    rd_kafka_ListConsumerGroupOffsets_t* request = rd_kafka_ListConsumerGroupOffsets_new(name_.c_str(), nullptr);
    rd_kafka_ListConsumerGroupOffsets(consumer(), &request, 1, options.get(), queue.get());
    rd_kafka_ListConsumerGroupOffsets_destroy(request);
    const EventPtr event(rd_kafka_queue_poll(queue.get(), milliseconds_until(end)));
    if (!event) {  // the request goes with its client
      queue.reset();
      consumer_.reset();
    }
    const auto* result = event ? rd_kafka_event_ListConsumerGroupOffsets_result(event.get()) : nullptr;
    rd_kafka_resp_err_t code = event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT;
    std::size_t count = 0;
    const rd_kafka_group_result_t** groups =
        result && !code ? rd_kafka_ListConsumerGroupOffsets_result_groups(result, &count) : nullptr;
    if (count > 0)
      if (const rd_kafka_error_t* error = rd_kafka_group_result_error(groups[0])) code = rd_kafka_error_code(error);
    if (code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) return {};
    if (!code && count > 0) {
      std::vector<std::string> topics;
      const rd_kafka_topic_partition_list_t* list = rd_kafka_group_result_partitions(groups[0]);
      for (int i = 0; i < list->cnt; ++i)
        if (list->elems[i].partition == 0) topics.emplace_back(list->elems[i].topic);
      return topics;
    }
    if (!passes(code) || SteadyClock::now() >= end) throw group_error(name_, "", code);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace weir
