#include "connectors/kafka/source/position_check.h"

#include <spdlog/spdlog.h>

#include <chrono>

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/source/fingerprint.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

/// Reads the records that fingerprints name, all at once: one queue for all partitions, the first thing that comes counts.
class RecordCheck {
 public:
  explicit RecordCheck(rd_kafka_t* client) : client_(client), queue_(rd_kafka_queue_new(client)) {}
  ~RecordCheck() {
    for (const auto& w : wanted_) rd_kafka_consume_stop(w.topic.get(), w.partition);
  }

  void add(std::size_t index, const SplitState& split, const Fingerprint& fingerprint) {
    places_[{split.topic, split.partition}] = wanted_.size();
    wanted_.push_back(
        {index, split.partition, fingerprint, TopicPtr(rd_kafka_topic_new(client_, split.topic.c_str(), nullptr))});
    if (rd_kafka_consume_start_queue(wanted_.back().topic.get(), split.partition, fingerprint.offset, queue_.get()) != 0)
      throw kafka_error(fmt::format("reading the record before the position of {}", split.label()), rd_kafka_last_error());
  }

  /// Marks in `differs` where another record has the offset.
  void run(std::vector<bool>& differs) {
    std::size_t left = wanted_.size();
    auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (left > 0) {
      const auto rest =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      const MessagePtr message(rest > 0 ? rd_kafka_consume_queue(queue_.get(), static_cast<int>(rest)) : nullptr);
      if (!message)
        throw Error(Blame::kEnvironment,
                    fmt::format("the records before the positions of the checkpoint could not be read: none came for {} s; "
                                "read: {} of {}",
                                kPatience.count(), wanted_.size() - left, wanted_.size()));
      if (!tells_of_record(*message)) continue;
      const auto found = places_.find({rd_kafka_topic_name(message->rkt), message->partition});
      if (found == places_.end()) continue;
      const Wanted& w = wanted_[found->second];
      differs[w.index] = is_another(*message, w.fingerprint);
      places_.erase(found);
      --left;
      deadline = std::chrono::steady_clock::now() + kPatience;
    }
  }

 private:
  struct Wanted {
    std::size_t index;
    std::int32_t partition;
    Fingerprint fingerprint;
    TopicPtr topic;
  };
  static constexpr std::chrono::seconds kPatience{10};

  /// False for what librdkafka tries again by itself. Throws when that is no use.
  static bool tells_of_record(const rd_kafka_message_t& m) {
    if (!m.err || m.err == RD_KAFKA_RESP_ERR__PARTITION_EOF || m.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
      return m.rkt != nullptr;
    if (blame_of(m.err) == Blame::kUser)
      throw kafka_error("reading the records before the positions of the checkpoint", m.err, rd_kafka_message_errstr(&m));
    return false;
  }

  static bool is_another(const rd_kafka_message_t& m, const Fingerprint& f) {
    if (m.err || m.offset != f.offset) return false;  // gone: compacted, deleted, an end of partition
    const std::string_view key(static_cast<const char*>(m.key), m.key ? m.key_len : 0),
        value(static_cast<const char*>(m.payload), m.payload ? m.len : 0);
    return rd_kafka_message_timestamp(&m, nullptr) != f.timestamp || hash_record(key, value) != f.hash;
  }

  rd_kafka_t* client_;
  QueuePtr queue_;
  std::vector<Wanted> wanted_;
  std::map<TopicPartition, std::size_t> places_;  ///< in wanted_, of those that have not come yet
};

}  // namespace

std::vector<bool> find_recreated(rd_kafka_t* client, const std::vector<SplitState>& splits, const Ranges& ranges) {
  std::vector<bool> out(splits.size());
  RecordCheck check(client);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const OffsetRange& range = ranges.at({splits[i].topic, splits[i].partition});
    if (splits[i].next > range.high) {
      out[i] = true;
      continue;
    }
    const auto fingerprint = parse_fingerprint(splits[i].fingerprint);
    if (fingerprint && fingerprint->offset >= range.low && fingerprint->offset < range.high)
      check.add(i, splits[i], *fingerprint);
  }
  check.run(out);
  return out;
}

void take_recreated(const KafkaSourceSettings& settings, SplitState& split, const OffsetRange& range) {
  if (settings.topic_recreated == KafkaSourceSettings::Lost::kFail)
    throw Error(Blame::kRefused, fmt::format("source {}: {} is not the partition that the checkpoint read up to {}: it was "
                                             "deleted and made again (it has {} to {} now). "
                                             "topic_recreated: earliest reads it from its beginning",
                                             settings.name, split.label(), split.next, range.low, range.high));
  spdlog::warn(
      "source {}: {} was made again since the checkpoint (which stood at {}); read from {} (topic_recreated: earliest)",
      settings.name, split.label(), split.next, range.low);
  split = SplitState{.topic = split.topic, .partition = split.partition, .next = range.low};
}

std::int64_t there_or_lost(const KafkaSourceSettings& settings, const GivenPosition& position, const OffsetRange& range) {
  const auto& [by, p, next] = position;
  if (next >= range.low) return next;
  if (settings.offset_lost == KafkaSourceSettings::Lost::kFail)
    throw Error(Blame::kRefused, fmt::format("source {}: {} wants {} of {}-{} next, but only {} to {} are there: "
                                             "{} records were deleted before they were read. "
                                             "offset_lost: earliest goes on at {}, latest at {}",
                                             settings.name, by, next, p.topic, p.partition, range.low, range.high,
                                             range.low - next, range.low, range.high));
  const std::int64_t taken = settings.offset_lost == KafkaSourceSettings::Lost::kEarliest ? range.low : range.high;
  spdlog::warn("source {}: {}-{} goes on at {} instead of {}, which {} wants: {} offsets are lost (offset_lost)",
               settings.name, p.topic, p.partition, taken, next, by, taken - next);
  return taken;
}

void take_lost(const KafkaSourceSettings& settings, SplitState& split, const OffsetRange& range) {
  const std::int64_t next = there_or_lost(settings, {"the checkpoint", {split.topic, split.partition}, split.next}, range);
  if (next == split.next) return;
  split.next = next;
  split.fingerprint.clear();
}

}  // namespace weir
