#include "connectors/kafka/source/reader.h"

#include <spdlog/spdlog.h>

#include <set>

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/client/lookup.h"
#include "connectors/kafka/source/split_position.h"

namespace weir {
namespace {

constexpr Duration kWakeInterval = Duration::milliseconds(5);
constexpr Duration kLagInterval = Duration::milliseconds(200);

std::string_view key_of(const rd_kafka_message_t& m) { return {static_cast<const char*>(m.key), m.key ? m.key_len : 0}; }
std::string_view value_of(const rd_kafka_message_t& m) {
  return {static_cast<const char*>(m.payload), m.payload ? m.len : 0};
}

TopicPartition id_of(const SplitState& split) { return {split.topic, split.partition}; }

}  // namespace

/// One request at a time that wakes a broker's thread; a wish that comes meanwhile is one more request after it.
struct KafkaReader::Waking {
  enum State { kIdle, kUnderWay, kOnceMore };
  std::atomic<int> state{kIdle};

  /// True if the caller is to start the request.
  bool begin() {
    int seen = state.load();
    while (!state.compare_exchange_weak(seen, seen == kIdle ? kUnderWay : kOnceMore)) {
    }
    return seen == kIdle;
  }
  /// True if the request is to be made once more.
  bool end() {
    int seen = state.load();
    while (!state.compare_exchange_weak(seen, seen == kOnceMore ? kUnderWay : kIdle)) {
    }
    return seen == kOnceMore;
  }
};

KafkaReader::KafkaReader(KafkaSourceSettingsPtr settings, const AttemptContext& attempt)
    : settings_(settings),
      attempt_(attempt),
      decoder_(std::move(settings)),
      arrived_(static_cast<std::size_t>(attempt.batch_rows)),
      batch_size_(attempt),
      waking_(std::make_shared<Waking>()) {}

KafkaReader::~KafkaReader() = default;

void KafkaReader::open(const TaskContext& task) { task_ = task; }

void KafkaReader::add_splits(std::vector<SplitState> splits) {
  if (splits.empty()) return;
  const std::size_t before = splits_.size();
  for (SplitState& state : splits) {
    auto split = std::make_unique<Split>();
    split->state = std::move(state);
    split->event_time = split->state.largest_time.value_or(Timestamp::none());
    if (!split->state.ended) check_end(split->state);
    order_.push_back(split.get());
    splits_.push_back(std::move(split));
  }
  if (!consumption_ || limits_.exceed(PrefetchLimits::of(attempt_.memory, task_.parallelism, splits_.size())))
    return renew_consumption();
  for (std::size_t i = before; i < splits_.size(); ++i) start(*splits_[i]);
}

void KafkaReader::start(Split& split) {
  split.at_end = false;
  if (!split.state.ended)
    split.partition = std::make_unique<Consumption::Partition>(*consumption_, id_of(split.state), split.state.next);
}

/// Reads on with another client, whose limits are for as many splits as there are now: librdkafka's cannot be changed. What
/// the old one holds ready is fetched again. It is destroyed on the blocking pool, since that waits for its threads.
void KafkaReader::renew_consumption() {
  struct Old {
    std::shared_ptr<Consumption> consumption;
    std::vector<std::unique_ptr<Consumption::Partition>> partitions;  // last: they end first
  };
  auto old = std::make_shared<Old>();
  old->consumption = std::move(consumption_);
  for (const auto& split : splits_) old->partitions.push_back(std::move(split->partition));
  if (old->consumption) attempt_.blocking->run([old = std::move(old)]() mutable { old.reset(); });
  limits_ = PrefetchLimits::of(attempt_.memory, task_.parallelism, splits_.size());
  consumption_ = std::make_shared<Consumption>(*settings_, limits_, task_);
  for (const auto& split : splits_) start(*split);
}

InputStatus KafkaReader::poll_next(SourceOutput& out) {
  if (consumption_)
    if (const auto failure = consumption_->serve())
      throw kafka_error(fmt::format("source {}", settings_->name), failure->code, failure->text);
  if (poll_splits(out)) {
    count_lag();
    return InputStatus::kMoreAvailable;
  }
  if (no_more_splits_ && all_ended()) return InputStatus::kEndOfInput;
  for (const auto& split : splits_)
    if (split->partition && !split->at_end && !split->state.ended && out.wants(split->state)) wake_broker(*split);
  count_lag();
  return InputStatus::kNothingAvailable;
}

/// Asks the splits until one has something: those that are behind in event time first, or by turns.
bool KafkaReader::poll_splits(SourceOutput& out) {
  if (settings_->has_event_time) order_by_event_time();
  for (std::size_t asked = 0; asked < order_.size(); ++asked) {
    Split& split = *order_[turn_];
    turn_ = turn_ + 1 == order_.size() ? 0 : turn_ + 1;
    if (split.partition && out.wants(split.state) && poll_split(split, out)) return true;
  }
  return false;
}

/// Refused rows have no event time. So that a split with nothing else cannot keep the others from being read, one whose last
/// turn did not move its event time comes last once.
void KafkaReader::order_by_event_time() {
  const auto place = [this](const Split* s) { return std::pair(s == without_progress_, s->event_time); };
  std::sort(order_.begin(), order_.end(), [&](const Split* a, const Split* b) { return place(a) < place(b); });
  without_progress_ = nullptr;
  turn_ = 0;
}

/// Hands on what is there of one split. Returns how much that was.
std::size_t KafkaReader::poll_split(Split& split, SourceOutput& out) {
  const std::size_t count = split.partition->take(arrived_.data(), static_cast<std::size_t>(batch_size_.next()));
  if (count == 0) return 0;
  const std::span<rd_kafka_message_t* const> arrived(arrived_.data(), count);
  struct Destroy {
    std::span<rd_kafka_message_t* const> messages;
    ~Destroy() {
      for (rd_kafka_message_t* m : messages) rd_kafka_message_destroy(m);
    }
  } destroy{arrived};
  const Timestamp before = split.event_time;
  take(split, arrived, out);
  if (split.event_time == before) without_progress_ = &split;
  if (split.state.ended) split.partition->pause();
  else if (!split.at_end && split.partition->ready() < arrived_.size() && wake_is_due()) wake_broker(split);
  return count;
}

void KafkaReader::take(Split& split, std::span<rd_kafka_message_t* const> arrived, SourceOutput& out) {
  records_.clear();
  std::uint64_t bytes = 0;
  for (rd_kafka_message_t* m : arrived) {
    if (m->err) {
      take_event(split, *m);
      continue;
    }
    split.at_end = false;
    if (m->offset < split.state.next || split.state.ended || !take_record(split.state, m->offset)) continue;
    records_.push_back(m);
    bytes += m->len + m->key_len;
  }
  if (!records_.empty()) {
    const rd_kafka_message_t& last = *records_.back();
    split.last_read =
        Fingerprint{last.offset, rd_kafka_message_timestamp(&last, nullptr), hash_record(key_of(last), value_of(last))};
    task_.counters->rows_in.add(records_.size());
    task_.counters->bytes.add(bytes);
    batch_size_.made(records_.size(), bytes);
    emit(split, out);
  }
  if (split.at_end || split.state.ended) out.caught_up(split.state);
}

void KafkaReader::emit(Split& split, SourceOutput& out) {
  BatchPtr batch = decoder_.decode(split.state.topic, records_, errors_);
  task_.counters->errors.add(decoder_.bad());
  if (BatchPtr bad = errors_.finish()) {
    out.emit_errors(std::move(bad));
  }
  if (!batch) return;
  out.emit(split.state, std::move(batch));
  split.event_time = out.largest_time(split.state).value_or(Timestamp::none());
}

/// Takes what is no record: an end of partition, or an error of the partition.
void KafkaReader::take_event(Split& split, const rd_kafka_message_t& event) {
  switch (event.err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
      take_partition_end(split.state, event.offset);
      split.at_end = true;
      return;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE: return offset_is_gone(split, event);
    default: break;
  }
  // librdkafka tries again by itself what may pass: a broker that is down, a leader that moves.
  if (blame_of(event.err) == Blame::kEnvironment && event.err != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART &&
      event.err != RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC && event.err != RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION &&
      event.err != RD_KAFKA_RESP_ERR__BAD_MSG) {
    spdlog::warn("source {}: reading {}: {}", settings_->name, split.state.label(), rd_kafka_message_errstr(&event));
    return;
  }
  throw kafka_error(fmt::format("source {}: reading {} at {}", settings_->name, split.state.label(), split.state.next),
                    event.err, rd_kafka_message_errstr(&event));
}

/// The next record was deleted while the job ran. How many are lost is for the enumerator to say and to decide
/// (offset_lost): it may ask the broker, and the restart asks it.
void KafkaReader::offset_is_gone(Split& split, const rd_kafka_message_t& event) {
  throw Error(Blame::kEnvironment,
              fmt::format("source {}: {} is gone from {} (deleted by retention before it was read; offset_lost decides): {}",
                          settings_->name, split.state.next, split.state.label(), rd_kafka_message_errstr(&event)));
}

bool KafkaReader::all_ended() const {
  return std::all_of(splits_.begin(), splits_.end(), [](const auto& split) { return split->state.ended; });
}

/// One request, then others have their turn on the pool.
void KafkaReader::post_wake(BlockingPool& pool, std::shared_ptr<Waking> waking, std::shared_ptr<Consumption> consumption,
                            TopicPartition partition) {
  pool.run([&pool, waking, consumption, partition] {
    consumption->wake_broker(partition);
    if (waking->end()) post_wake(pool, waking, consumption, partition);
  });
}

/// librdkafka 2.0.2 stops fetching when its limits are reached, and its broker thread then sleeps up to a second even if the
/// queue runs empty before. Any request to the broker wakes it.
void KafkaReader::wake_broker(const Split& split) {
  last_wake_ = now();
  if (waking_->begin()) post_wake(*attempt_.blocking, waking_, consumption_, id_of(split.state));
}

bool KafkaReader::wake_is_due() const { return now().micros - last_wake_.micros >= kWakeInterval.micros; }

/// Where the split ends, as far as answers to earlier requests tell.
std::optional<std::int64_t> KafkaReader::end_of(const Split& split) {
  if (split.state.ended || !split.partition) return split.state.end;
  if (split.at_end) return split.state.next;
  const std::optional<std::int64_t> known = split.partition->known_end();
  if (split.state.end) return std::min(*split.state.end, known.value_or(*split.state.end));
  return known;
}

ErrorRow KafkaReader::record_of(std::int64_t row) const {
  const rd_kafka_message_t& record = *records_[decoder_.record_of(row)];
  return RecordDecoder::describe(record, rd_kafka_topic_name(record.rkt));
}

bool KafkaReader::is_caught_up(const SplitState& state) const {
  for (const auto& split : splits_)
    if (split->state.same_split(state)) return !split->partition || (split->at_end && split->partition->ready() == 0);
  return true;
}

std::vector<std::optional<std::int64_t>> KafkaReader::known_ends() const {
  std::vector<std::optional<std::int64_t>> ends;
  ends.reserve(splits_.size());
  for (const auto& split : splits_) ends.push_back(end_of(*split));
  return ends;
}

void KafkaReader::count_lag() {
  const Duration time = now();
  if (time.micros - last_lag_.micros < kLagInterval.micros) return;
  last_lag_ = time;
  std::uint64_t lag = 0;
  for (const auto& split : splits_) {
    if (!split->partition || split->at_end || split->state.ended) continue;
    lag += static_cast<std::uint64_t>(std::max<std::int64_t>(0, end_of(*split).value_or(0) - split->state.next));
  }
  task_.counters->lag.set(lag);
}

std::vector<SplitState> KafkaReader::splits() const {
  std::vector<SplitState> out;
  out.reserve(splits_.size());
  for (const auto& split : splits_) {
    out.push_back(split->state);
    if (split->last_read && !settings_->cluster->connection().embedded) out.back().fingerprint = to_text(*split->last_read);
  }
  return out;
}

void KafkaReader::on_committed(Epoch, const std::vector<SplitState>& splits) {
  if (settings_->group.empty() || !settings_->commit_offsets || !consumption_) return;
  std::set<TopicPartition> mine;
  for (const auto& split : splits_) mine.insert(id_of(split->state));
  std::map<TopicPartition, std::int64_t> changed;
  for (const SplitState& split : splits) {
    if (!mine.contains(id_of(split))) continue;
    const auto known = committed_.find(id_of(split));
    if (known == committed_.end() || known->second != split.next) changed[id_of(split)] = split.next;
  }
  if (changed.empty()) return;
  if (consumption_->is_stuck()) renew_consumption();
  consumption_->commit(changed);
  for (const auto& [partition, offset] : changed) committed_[partition] = offset;
}

}  // namespace weir
