#include "connectors/kafka/sink/sink_batch.h"

#include "connectors/kafka/sink/murmur2.h"

namespace weir {
namespace {

// What a record costs in a batch of its own beside its bytes, at most: batch header, varints.
constexpr std::int64_t kRecordOverhead = 100;

/// The value of an int or bigint column.
std::int64_t integer_at(const Column& column, std::size_t row) {
  return column.type().kind() == TypeKind::kInt ? column.values<std::int32_t>()[row] : column.values<std::int64_t>()[row];
}

// In the place of a record's time: it has one that cannot be sent.
constexpr std::int64_t kUnsendable = -1;
constexpr std::string_view kMustBeLater =
    "a record's time must lie after 1970-01-01T00:00:00Z (the client library takes 0 for now)";

/// By whether the sink has one.
constexpr std::string_view kWhyEventTime[] = {"as the sink has no `timestamp`", "where `timestamp` is null"};

/// Whole milliseconds; what lies in the first one after 1970 began is the end of that, since 0 cannot be sent.
std::int64_t to_millis(std::int64_t micros) { return micros > 0 ? std::max<std::int64_t>(micros / 1000, 1) : kUnsendable; }

/// Times beyond the calendar as a number.
std::string text_of_millis(std::int64_t millis) {
  constexpr std::int64_t kEndOfYear9999 = 253'402'300'799'999;
  return millis <= kEndOfYear9999 ? format_iso(Timestamp{millis * 1000}) : fmt::format("{} ms", millis);
}

}  // namespace

SinkBatch::SinkBatch(KafkaSinkSettingsPtr settings)
    : settings_(std::move(settings)),
      key_writer_(settings_->key),
      encoder_(settings_->format ? settings_->format->make() : nullptr),
      largest_record_(settings_->cluster->connection().producer_number("message.max.bytes")) {}

void SinkBatch::open(const SinkTopics& topics, int task) {
  topics_ = &topics.topics();
  bucket_count_ = topics.buckets();
  sticky_ = task;
}

void SinkBatch::prepare(const BatchPtr& batch, const EvaluationContext& context, std::vector<std::int64_t> header_sizes,
                        std::vector<RowError> errors, Buffer memory) {
  header_sizes_ = std::move(header_sizes);
  memory_ = std::move(memory);
  errors_ = std::move(errors);
  if (!settings_->input->changelog()) ++sticky_;  // changes of a row come from one task, and stay in order in one partition
  keys_ = &key_writer_.write(*batch, context, errors_);
  write_values(*batch);
  if (settings_->changelog == ChangelogForm::kUpsert) make_tombstones(*batch);
  choose_topics(*batch, context);
  choose_partitions(*batch, context);
  choose_timestamps(*batch, context);
  check_rows(context.now);
  leave_out_errors();
  if (settings_->changelog == ChangelogForm::kUpsert) leave_out_replaced(*batch);
  order_.sort(buckets_, bucket_count_);
}

const SinkTopic& SinkBatch::topic_of(std::int32_t bucket) const {
  auto topic = topics_->begin();
  while (bucket >= topic->first_bucket + topic->partitions) ++topic;
  return *topic;
}

void SinkBatch::write_values(const RecordBatch& batch) {
  const auto rows = static_cast<std::size_t>(batch.rows());
  values_.resize(rows);
  if (!encoder_) {
    const Column& column = batch.column(settings_->raw_column);
    for (std::size_t i = 0; i < rows; ++i)
      values_[i] = column.valid(static_cast<std::int64_t>(i)) ? not_null(column.text(static_cast<std::int64_t>(i)))
                                                              : std::string_view();
    return;
  }
  memory_.reserve(64);
  ends_.clear();
  encoder_->encode(settings_->with_op ? *with_op(batch, settings_->with_op) : batch, memory_, ends_);
  const char* bytes = memory_.as<char>();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < rows; begin = ends_[i++]) values_[i] = {bytes + begin, ends_[i] - begin};
}

/// Rows that go, or are replaced, have no value. A row without a key replaces nothing.
void SinkBatch::make_tombstones(const RecordBatch& batch) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const RowKind kind = kind_of(batch, i);
    if (!(*keys_)[i].data())
      refuse(i,
             "the key is null, and upsert needs one for every row (a key of a list of columns, key: [a], is an object that "
             "is never null)");
    if (kind == RowKind::kUpdateBefore || kind == RowKind::kDelete) values_[i] = {};
    else if (!values_[i].data()) refuse(i, "the value is null, which upsert would write as a delete");
  }
}

/// A -U needs no record where its +U is written behind it for the same key. Else (a filter took the +U away, or the key
/// changed) it is a delete.
void SinkBatch::leave_out_replaced(const RecordBatch& batch) {
  for (std::size_t i = 0; i + 1 < buckets_.size(); ++i)
    if (kind_of(batch, i) == RowKind::kUpdateBefore && values_[i + 1].data() && buckets_[i + 1] == buckets_[i] &&
        (*keys_)[i] == (*keys_)[i + 1])
      buckets_[i] = -1;
}

void SinkBatch::choose_topics(const RecordBatch& batch, const EvaluationContext& context) {
  if (!settings_->topic) return;
  const ColumnPtr names = settings_->topic->evaluate(batch, nullptr, context, errors_);
  topic_of_row_.assign(static_cast<std::size_t>(batch.rows()), 0);
  std::size_t last = 0;  // neighbours are often alike
  for (std::size_t i = 0; i < topic_of_row_.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (!names->valid(row)) {
      refuse(i, fmt::format("the topic is null: {}", settings_->topic->text()));
      continue;
    }
    const std::string_view name = names->text(row);
    if ((*topics_)[last].name != name) {
      const auto found = std::find_if(topics_->begin(), topics_->end(), [&](const SinkTopic& t) { return t.name == name; });
      if (found == topics_->end()) {
        refuse(i, fmt::format("topic '{}' is not one of `topics`", name));
        continue;
      }
      last = static_cast<std::size_t>(found - topics_->begin());
    }
    topic_of_row_[i] = static_cast<std::int32_t>(last);
  }
}

void SinkBatch::choose_partitions(const RecordBatch& batch, const EvaluationContext& context) {
  buckets_.resize(static_cast<std::size_t>(batch.rows()));
  partition_by_key();
  if (!settings_->partition) return;
  const ColumnPtr wanted = settings_->partition->evaluate(batch, nullptr, context, errors_);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (!wanted->valid(static_cast<std::int64_t>(i))) continue;  // by key
    const SinkTopic& topic = (*topics_)[settings_->topic ? static_cast<std::size_t>(topic_of_row_[i]) : 0];
    const std::int64_t partition = integer_at(*wanted, i);
    if (partition < 0 || partition >= topic.partitions) {
      refuse(i, fmt::format("topic {} has no partition {}, it has {}", topic.name, partition, topic.partitions));
    } else {
      buckets_[i] = topic.first_bucket + static_cast<std::int32_t>(partition);
    }
  }
}

/// As Java clients do: by the key's hash; rows without a key stay together, in another partition with every batch (changes
/// in one).
void SinkBatch::partition_by_key() {
  const RowBytes& keys = *keys_;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const SinkTopic& topic = (*topics_)[settings_->topic ? static_cast<std::size_t>(topic_of_row_[i]) : 0];
    const std::int32_t partition =
        keys[i].data() ? partition_of_key(keys[i], topic.partitions) : (sticky_ & INT32_MAX) % topic.partitions;
    buckets_[i] = topic.first_bucket + partition;
  }
}

/// What `timestamp` says is taken as it is; the event time of a row only up to now, since brokers take no record far ahead
/// of it (early results of a window carry its end).
void SinkBatch::choose_timestamps(const RecordBatch& batch, const EvaluationContext& context) {
  if (!settings_->has_timestamps()) return;
  timestamps_.assign(static_cast<std::size_t>(batch.rows()), 0);
  if (settings_->timestamp) take_timestamps(*settings_->timestamp->evaluate(batch, nullptr, context, errors_));
  const auto event_time = batch.schema()->event_time();
  if (!event_time) return;
  const Column& column = batch.column(*event_time);
  for (std::size_t i = 0; i < timestamps_.size(); ++i) {
    if (timestamps_[i] != 0 || !column.valid(static_cast<std::int64_t>(i))) continue;
    const std::int64_t micros = column.values<std::int64_t>()[i];
    timestamps_[i] = to_millis(std::min(micros, context.now.micros));
    if (timestamps_[i] == kUnsendable)
      refuse(i, fmt::format("the event time of the row is taken for the record, {}, and {}: it is {}; write timestamp: "
                            "\"now()\", or timestamp: "
                            "\"greatest({}, timestamp '1970-01-01 00:00:00.001')\"",
                            kWhyEventTime[settings_->timestamp != nullptr], kMustBeLater, format_iso(Timestamp{micros}),
                            (*batch.schema())[*event_time].name));
  }
}

void SinkBatch::take_timestamps(const Column& column) {
  const bool micros = column.type().kind() == TypeKind::kTimestamp;
  for (std::size_t i = 0; i < timestamps_.size(); ++i) {
    if (!column.valid(static_cast<std::int64_t>(i))) continue;
    const std::int64_t value = integer_at(column, i);
    timestamps_[i] = micros ? to_millis(value) : value > 0 ? value : kUnsendable;
    if (timestamps_[i] == kUnsendable)
      refuse(i, fmt::format("{}, and timestamp: {} gives {}", kMustBeLater, settings_->timestamp->text(),
                            micros ? format_iso(Timestamp{value}) : fmt::format("{} ms", value)));
  }
}

/// What the broker would refuse it refuses with the whole batch of records that it came in: known before, it is one row.
void SinkBatch::check_rows(Timestamp now) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const SinkTopic& topic = (*topics_)[settings_->topic ? static_cast<std::size_t>(topic_of_row_[i]) : 0];
    const std::int64_t headers = header_sizes_.empty() ? 0 : header_sizes_[i],
                       bytes = static_cast<std::int64_t>((*keys_)[i].size() + values_[i].size()) + headers,
                       size = bytes + kRecordOverhead;
    const char* const parts = headers ? "key, value and headers" : "key and value";
    if (largest_record_ && bytes > *largest_record_)
      refuse(i, fmt::format("the record is larger than message.max.bytes of connection {} allows: {} bytes of {}, it is {}",
                            settings_->cluster->connection().name, bytes, parts, *largest_record_));
    if (size > topic.limits.largest_batch)
      refuse(i, fmt::format("the record is too large for topic {}: {} bytes before compression, max.message.bytes is {}",
                            topic.name, size, topic.limits.largest_batch));
    if (topic.limits.compacted && !(*keys_)[i].data())
      refuse(i, fmt::format("topic {} is compacted and takes no record without a key", topic.name));
    if (topic.limits.checks_times && !timestamps_.empty() && timestamps_[i] > 0)
      check_timestamp(i, topic, now.micros / 1000);
  }
}

void SinkBatch::check_timestamp(std::size_t row, const SinkTopic& topic, std::int64_t now_ms) {
  const std::int64_t ahead = timestamps_[row] - now_ms;
  const bool too_late = ahead > topic.limits.most_ahead_ms, too_early = -ahead > topic.limits.most_behind_ms;
  if (!too_late && !too_early) return;
  const std::string from = settings_->timestamp ? "given by timestamp: " + settings_->timestamp->text()
                                                : fmt::format("the row's event time, {}", kWhyEventTime[0]);
  refuse(row, fmt::format("topic {} takes no record so far {} (message.timestamp.{}.max.ms): the record's time is {}, {}; "
                          "write timestamp: \"now()\" for the "
                          "time of writing",
                          topic.name, too_late ? "ahead of now" : "back", too_late ? "after" : "before",
                          text_of_millis(timestamps_[row]), from));
}

void SinkBatch::leave_out_errors() {
  if (errors_.empty()) return;
  sort_errors(errors_);
  errors_.erase(
      std::unique(errors_.begin(), errors_.end(), [](const RowError& a, const RowError& b) { return a.row == b.row; }),
      errors_.end());
  for (const RowError& e : errors_) buckets_[static_cast<std::size_t>(e.row)] = -1;
}

}  // namespace weir
