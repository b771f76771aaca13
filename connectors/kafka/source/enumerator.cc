#include "connectors/kafka/source/enumerator.h"

#include <spdlog/spdlog.h>

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/source/position_check.h"
#include "connectors/kafka/source/resolve.h"
#include "connectors/kafka/source/split_position.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

std::vector<TopicPartition> ids(const std::vector<SplitState>& splits) {
  std::vector<TopicPartition> out;
  for (const SplitState& s : splits) out.push_back({s.topic, s.partition});
  return out;
}

}  // namespace

std::vector<TopicPartition> KafkaEnumerator::find_partitions(rd_kafka_t* client) const {
  const auto embedded = settings_->cluster->embedded();
  if (embedded)
    for (const std::string& topic : settings_->topics) embedded->ensure_topic(topic);
  std::map<std::string, int> topics = settings_->pattern ? all_topics(client) : partition_counts(client, settings_->topics);
  std::vector<TopicPartition> out;
  for (const auto& [topic, partitions] : topics) {
    if (!settings_->reads(topic)) continue;
    if (partitions == 0)
      throw Error(Blame::kUser,
                  fmt::format("source {}: {}", settings_->name, no_such_topic(topic, settings_->cluster->brokers())));
    for (std::int32_t p = 0; p < partitions; ++p) out.push_back({topic, p});
  }
  if (out.empty() && first_)
    spdlog::warn("source {}: no topic matches topic_pattern {}; looking again every {}", settings_->name,
                 settings_->pattern_text, interval().micros ? format_duration(interval()) : "time the job starts");
  return out;
}

Ranges KafkaEnumerator::ask_for_ranges(rd_kafka_t* client, const std::vector<TopicPartition>& partitions) {
  Ranges ranges = query_ranges(client, partitions);
  for (const auto& [partition, range] : ranges) ends_[partition] = range.high;
  return ranges;
}

/// A bounded split that the job has read to its end has no other.
std::optional<std::int64_t> KafkaEnumerator::known_end(const SplitState& split) const {
  const auto known = ends_.find({split.topic, split.partition});
  if (split.ended || known == ends_.end()) return split.end;
  const std::int64_t end = std::max(known->second, split.next);
  return split.end ? std::min(*split.end, end) : end;
}

std::vector<SplitState> KafkaEnumerator::discover(const std::vector<SplitState>& known) {
  const auto client = settings_->new_consumer(settings_->read_committed);
  std::vector<TopicPartition> fresh;
  for (TopicPartition& p : find_partitions(client->get())) {
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const SplitState& s) { return s.topic == p.topic && s.partition == p.partition; });
    if (!is_known) fresh.push_back(std::move(p));
  }
  const Ranges ranges = ask_for_ranges(client->get(), fresh);
  const bool by_rule = std::exchange(first_, false) && known.empty();
  if (by_rule) check_names(*settings_, ranges);
  Offsets starts, ends;
  if (by_rule) starts = resolve_start(*settings_, client->get(), ranges);
  if (settings_->bounded()) ends = resolve_end(*settings_, client->get(), ranges);
  const auto embedded = settings_->cluster->embedded();
  std::vector<SplitState> out;
  for (const auto& [p, range] : ranges) {
    SplitState split{.topic = p.topic, .partition = p.partition, .next = by_rule ? starts.at(p) : range.low};
    if (settings_->bounded()) split.end = ends.at(p);
    if (embedded) split.fingerprint = embedded->id();
    check_end(split);
    if (!by_rule) spdlog::info("source {}: new partition {}, read from {}", settings_->name, split.label(), split.next);
    out.push_back(std::move(split));
  }
  return out;
}

std::vector<SplitState> KafkaEnumerator::restore(std::vector<SplitState> splits) {
  first_ = false;
  for (const SplitState& split : splits)
    if (!settings_->reads(split.topic))
      throw Error(Blame::kRefused, fmt::format("source {}: the checkpoint has read {} up to {}, but the file does not name "
                                               "its topic any more; a source under another "
                                               "name begins anew",
                                               settings_->name, split.label(), split.next));
  if (const auto embedded = settings_->cluster->embedded())
    for (const SplitState& split : splits)
      if (split.fingerprint != embedded->id())
        throw Error(Blame::kRefused, fmt::format("source {}: {} was on an embedded broker that is gone with its process: "
                                                 "what was read cannot be continued; start anew with --fresh",
                                                 settings_->name, split.label()));
  // Where a split ended that is not read on does not matter any more: its records may be gone.
  const auto is_open = [&](const SplitState& s) { return !s.ended || attempt_.read_on; };
  std::vector<SplitState> open;
  std::copy_if(splits.begin(), splits.end(), std::back_inserter(open), is_open);
  if (!open.empty()) check_positions(open);
  auto checked = open.begin();
  for (SplitState& split : splits)
    if (is_open(split)) split = std::move(*checked++);
  settings_->bounded() ? check_ends(splits) : remove_ends(splits);
  return splits;
}

/// Looks with a consumer that reads everything: a position may lie behind the last stable offset.
void KafkaEnumerator::check_positions(std::vector<SplitState>& splits) {
  const auto client = settings_->new_consumer(false, {{"fetch.message.max.bytes", "65536"}});
  std::vector<std::string> topics;
  for (const SplitState& s : splits)
    if (topics.empty() || topics.back() != s.topic) topics.push_back(s.topic);
  const auto counts = partition_counts(client->get(), topics);
  for (const SplitState& s : splits)
    if (s.partition >= counts.at(s.topic))
      throw Error(Blame::kRefused,
                  fmt::format("source {}: the checkpoint has read {} up to {}, but {}", settings_->name, s.label(), s.next,
                              counts.at(s.topic) ? "the topic has fewer partitions now"
                                                 : no_such_topic(s.topic, settings_->cluster->brokers())));
  const Ranges ranges = ask_for_ranges(client->get(), ids(splits));
  const std::vector<bool> recreated = settings_->cluster->connection().embedded
                                          ? std::vector<bool>(splits.size())
                                          : find_recreated(client->get(), splits, ranges);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const OffsetRange& range = ranges.at({splits[i].topic, splits[i].partition});
    if (recreated[i]) take_recreated(*settings_, splits[i], range);
    else take_lost(*settings_, splits[i], range);
  }
}

/// The end stays the one of the first start, unless the file has a new one or the job is to read on.
void KafkaEnumerator::check_ends(std::vector<SplitState>& splits) {
  const bool written = settings_->end.kind == EndRule::Kind::kOffsets;
  std::vector<SplitState> asked;
  for (const SplitState& s : splits) {
    const auto now = written && s.ended ? settings_->end.offsets.find(s.topic, s.partition) : std::nullopt;
    if (now.value_or(s.end.value_or(0)) != s.end.value_or(0) && !attempt_.read_on)
      throw Error(Blame::kRefused,
                  fmt::format("source {}: {} ended at {}, and the file now ends it at {}; --continue reads on",
                              settings_->name, s.label(), s.end.value_or(0), now.value_or(0)));
    if (!s.end || attempt_.read_on || (written && !s.ended)) asked.push_back(s);
  }
  if (asked.empty()) return;
  const auto client = settings_->new_consumer(settings_->read_committed);
  const Offsets ends = resolve_end(*settings_, client->get(), ask_for_ranges(client->get(), ids(asked)));
  for (SplitState& s : splits) {
    if (const auto end = ends.find({s.topic, s.partition}); end != ends.end()) s.end = std::max(end->second, s.next);
    check_end(s);
  }
}

/// The file has no end any more: splits that have not ended are read on for ever.
void KafkaEnumerator::remove_ends(std::vector<SplitState>& splits) const {
  for (SplitState& s : splits) {
    if (s.ended && !attempt_.read_on)
      throw Error(Blame::kRefused,
                  fmt::format("source {}: {} ended at {}, and the file has no `end` any more; --continue reads on",
                              settings_->name, s.label(), s.end.value_or(0)));
    s.end.reset();
    s.ended = false;
  }
}

}  // namespace weir
