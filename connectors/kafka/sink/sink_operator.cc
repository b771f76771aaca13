#include "connectors/kafka/sink/sink_operator.h"

#include <spdlog/spdlog.h>

#include "connectors/kafka/client/failure.h"
#include "runtime/base/crash_point.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr int kErrorsPort = 0;

std::optional<std::string_view> optional_bytes(std::string_view bytes) {
  return bytes.data() ? std::optional(bytes) : std::nullopt;
}

}  // namespace

KafkaSinkOperator::KafkaSinkOperator(KafkaSinkSettingsPtr settings, AttemptContext& attempt)
    : settings_(std::move(settings)), attempt_(attempt), rows_(settings_), headers_(*settings_) {}

KafkaSinkOperator::~KafkaSinkOperator() {
  if (!sent_) return;
  if (unsent_ > 0) sent_->answer(unsent_, 0);
  sent_->all_sent();
}

void KafkaSinkOperator::open(const TaskContext& task) {
  task_ = task;
  evaluation_.open(task);
  deliveries_ = std::make_shared<Deliveries>(task.waker);
  topics_ = topics_of(attempt_, *settings_);
  epoch_ = attempt_.first_epoch;
  if (settings_->guarantee == Guarantee::kExactlyOnce) lanes_ = lanes_of(attempt_, settings_->cluster);
  rows_.open(*topics_, task_.index);
  find_producers();
}

Progress KafkaSinkOperator::process(int, BatchPtr batch, Output& out) {
  batch_ = std::move(batch);
  return go_on(out);
}

Progress KafkaSinkOperator::on_barrier(Epoch epoch, Output& out) {
  drain_ = settings_->guarantee != Guarantee::kNone;
  barrier_ = epoch;
  if (const int slow = slow_task_milliseconds(settings_->name, task_.index)) {
    slow_until_ = attempt_.clock->steady() + Duration::milliseconds(slow);
    task_.wake_after(Duration::milliseconds(slow));
  }
  return go_on(out);
}

Progress KafkaSinkOperator::on_end(Output& out) {
  drain_ = true;
  return go_on(out);
}

Progress KafkaSinkOperator::resume(Output& out) { return go_on(out); }

/// Does what is possible now of: send the batch, wait for room or for all answers.
Progress KafkaSinkOperator::go_on(Output& out) {
  for (;;) {
    deliveries_->arm();
    check_producer();
    take_trouble(out);
    if (batch_) {
      if (!sent_) prepare();
      if (!send()) return Progress::kWait;
      finish_batch(out);
    }
    task_.counters->rows_out.set(deliveries_->acknowledged());
    if (const std::uint64_t lost = deliveries_->take_lost()) {
      task_.counters->errors.add(lost);
      spdlog::warn("sink {}: {} rows were lost (guarantee: none)", settings_->name, lost);
    }
    if (must_wait(drain_)) return Progress::kWait;
    if (deliveries_->has_trouble()) continue;
    if (barrier_ && attempt_.clock->steady() < slow_until_) return Progress::kWait;
    settle_barrier();
    deliveries_->disarm();
    return Progress::kDone;
  }
}

/// True if answers must come before the next call may. The task is woken when they do.
bool KafkaSinkOperator::must_wait(bool for_all) {
  if (deliveries_->has_trouble()) return false;
  if (for_all) return deliveries_->open() > 0;
  if (producer_->has_room()) return false;
  producer_->wake_when_room(deliveries_);
  return !producer_->has_room();
}

/// All rows of the epoch are acknowledged: the next rows belong to the next one.
void KafkaSinkOperator::settle_barrier() {
  drain_ = false;
  if (!barrier_) return;
  crash_point("after-flush");
  epoch_ = std::exchange(barrier_, std::nullopt)->next();
  if (lanes_) use_lane();
}

void KafkaSinkOperator::find_producers() {
  if (lanes_) return use_lane();
  const ProducerOptions options = topics_->producer_options(settings_->guarantee, attempt_.memory);
  producer_ = attempt_.shared<Producer>(options.key(settings_->cluster->connection().name),
                                        [&] { return new Producer(*settings_->cluster, options); });
  if (settings_->guarantee == Guarantee::kNone && task_.index == 0)
    spdlog::info("sink {}: guarantee none: rows are sent once, and no checkpoint waits for them", settings_->name);
  for (const SinkTopic& topic : topics_->topics()) handles_.push_back(producer_->topic(topic.name, settings_->properties));
}

void KafkaSinkOperator::use_lane() {
  lane_ = &lanes_->lane(epoch_);
  producer_ = std::shared_ptr<Producer>(lanes_, &lane_->producer());
  handles_.clear();
  for (const SinkTopic& topic : topics_->topics()) handles_.push_back(producer_->topic(topic.name, settings_->properties));
}

void KafkaSinkOperator::check_producer() const { lane_ ? lane_->check() : producer_->check(); }

void KafkaSinkOperator::prepare() {
  const EvaluationContext context = evaluation_.next(batch_->rows());
  std::vector<RowError> errors;
  std::vector<std::int64_t> header_sizes;
  if (settings_->has_headers()) {
    headers_.begin(*batch_, context, errors);
    header_sizes = headers_.sizes(batch_->rows());
  }
  rows_.prepare(batch_, context, std::move(header_sizes), std::move(errors), deliveries_->take_memory());
  const auto count = static_cast<std::int32_t>(rows_.order().rows().size());
  run_ = 0;
  position_ = 0;
  if (lane_ && count > 0) lane_->wrote();
  sent_ = new SentBatch(deliveries_, *producer_, rows_.take_memory(), batch_, count);
  unsent_ = count;
  for (const RowError& e : rows_.errors()) {
    const auto i = static_cast<std::size_t>(e.row);
    bad_row(reason_of(e), optional_bytes(rows_.keys()[i]), optional_bytes(rows_.values()[i]), e.row);
  }
}

/// Hands the rest of the batch to librdkafka. False if its queue is full.
bool KafkaSinkOperator::send() {
  const auto runs = rows_.order().runs();
  for (; run_ < runs.size(); ++run_) {
    position_ = std::max(position_, runs[run_].begin);
    if (!send_run(runs[run_])) return false;
  }
  return true;
}

bool KafkaSinkOperator::send_run(const BucketOrder::Run& run) {
  const SinkTopic& topic = rows_.topic_of(run.bucket);
  rd_kafka_topic_t* handle = handles_[static_cast<std::size_t>(&topic - topics_->topics().data())];
  const std::int32_t partition = run.bucket - topic.first_bucket;
  const bool plain = !settings_->has_headers() && !settings_->has_timestamps();
  return plain ? send_batch(run, handle, partition) : send_one_by_one(run, handle, partition);
}

/// The fast way: one call, which knows neither headers nor times.
bool KafkaSinkOperator::send_batch(const BucketOrder::Run& run, rd_kafka_topic_t* topic, std::int32_t partition) {
  const auto rows =
      rows_.order().rows().subspan(static_cast<std::size_t>(position_), static_cast<std::size_t>(run.end - position_));
  messages_.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto i = static_cast<std::size_t>(rows[k]);
    rd_kafka_message_t& m = messages_[k];
    m = {};
    m.payload = const_cast<char*>(rows_.values()[i].data());
    m.len = rows_.values()[i].size();
    m.key = const_cast<char*>(rows_.keys()[i].data());
    m.key_len = rows_.keys()[i].size();
    m._private = sent_;
  }
  const int good = rd_kafka_produce_batch(topic, partition, 0, messages_.data(), static_cast<int>(messages_.size()));
  unsent_ -= good;  // rows behind a refused one are taken: all count before any is judged
  if (static_cast<std::size_t>(good) == messages_.size()) return position_ = run.end, true;
  // Once the queue is full librdkafka refuses all the rest: what was taken keeps its order.
  for (std::size_t k = 0; k < messages_.size(); ++k, ++position_)
    if (!taken(rows[k], messages_[k].err)) return false;
  return true;
}

bool KafkaSinkOperator::send_one_by_one(const BucketOrder::Run& run, rd_kafka_topic_t* topic, std::int32_t partition) {
  for (; position_ < run.end; ++position_) {
    const std::int32_t row = rows_.order().rows()[static_cast<std::size_t>(position_)];
    const auto i = static_cast<std::size_t>(row);
    HeadersPtr headers = headers_.headers(row);
    rd_kafka_vu_t what[7];
    std::size_t n = 0;
    what[n].vtype = RD_KAFKA_VTYPE_RKT, what[n++].u.rkt = topic;
    what[n].vtype = RD_KAFKA_VTYPE_PARTITION, what[n++].u.i32 = partition;
    what[n].vtype = RD_KAFKA_VTYPE_VALUE, what[n].u.mem.ptr = const_cast<char*>(rows_.values()[i].data()),
    what[n++].u.mem.size = rows_.values()[i].size();
    what[n].vtype = RD_KAFKA_VTYPE_KEY, what[n].u.mem.ptr = const_cast<char*>(rows_.keys()[i].data()),
    what[n++].u.mem.size = rows_.keys()[i].size();
    what[n].vtype = RD_KAFKA_VTYPE_OPAQUE, what[n++].u.ptr = sent_;
    what[n].vtype = RD_KAFKA_VTYPE_TIMESTAMP, what[n++].u.i64 = rows_.timestamps().empty() ? 0 : rows_.timestamps()[i];
    if (headers) what[n].vtype = RD_KAFKA_VTYPE_HEADERS, what[n++].u.headers = headers.get();
    rd_kafka_error_t* error = rd_kafka_produceva(producer_->client(), what, n);
    const rd_kafka_resp_err_t code = error ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR;
    if (error) rd_kafka_error_destroy(error);
    else --unsent_, headers.release();  // the message owns them now
    if (!taken(row, code)) return false;
  }
  return true;
}

/// Judges librdkafka's answer for a row. False if its queue is full: then the row is to be sent later.
bool KafkaSinkOperator::taken(std::int32_t row, rd_kafka_resp_err_t code) {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
    producer_->wake_when_room(deliveries_);
    return false;
  }
  if (!concerns_record(code)) {
    const std::string what = fmt::format("sink {}: writing a row", settings_->name);
    if (lane_) throw lane_->failure(what, code);
    producer_->check();
    throw kafka_error(what, code);
  }
  const auto i = static_cast<std::size_t>(row);
  bad_row(rd_kafka_err2str(code), optional_bytes(rows_.keys()[i]), optional_bytes(rows_.values()[i]), row);
  sent_->answer(1, 0);
  --unsent_;
  return true;
}

void KafkaSinkOperator::finish_batch(Output& out) {
  std::uint64_t bytes = 0;
  for (const std::int32_t row : rows_.order().rows()) bytes += rows_.values()[static_cast<std::size_t>(row)].size();
  task_.counters->bytes.add(bytes);
  std::exchange(sent_, nullptr)->all_sent();
  batch_.reset();
  emit_bad_rows(out);
}

/// Takes what the producer's thread found: rows that the broker will never take, and failures.
void KafkaSinkOperator::take_trouble(Output& out) {
  if (!deliveries_->has_trouble()) return;
  const auto refused = deliveries_->take_refused();
  if (lane_ && !refused.empty()) throw refused_in_transaction(refused.front());
  if (const auto failure = deliveries_->failure()) {
    const std::string what =
        fmt::format("sink {}: rows could not be delivered to topic {}", settings_->name, failure->topic);
    if (lane_) throw lane_->failure(what, failure->code);
    producer_->check();  // a fenced producer first shows as purged rows
    throw kafka_error(what, failure->code);
  }
  for (const Deliveries::Refused& r : refused)
    bad_row(fmt::format("topic {}: {}", r.topic, rd_kafka_err2str(r.code)), r.key, r.value, -1);
  emit_bad_rows(out);
}

/// The transaction fails with such a row, and would again after a restart: only people can help.
Error KafkaSinkOperator::refused_in_transaction(const Deliveries::Refused& row) const {
  return Error(
      Blame::kData,
      fmt::format("sink {}: topic {} refuses a row: {} ({}). Under exactly_once on_error cannot leave it out, for the "
                  "transaction fails with it, unless it is known before: give the principal DescribeConfigs on the "
                  "topic, or filter such rows; key: {}, bytes of the value: {}",
                  settings_->name, row.topic, rd_kafka_err2str(row.code), rd_kafka_err2name(row.code),
                  row.key.value_or("null"), row.value ? row.value->size() : 0));
}

/// Follows on_error for a row that cannot be written. `row` is its number in batch_, or -1.
void KafkaSinkOperator::bad_row(std::string_view reason, std::optional<std::string_view> key,
                                std::optional<std::string_view> value, std::int64_t row) {
  if (settings_->on_error == OnError::kFail)
    throw Error(
        Blame::kData,
        fmt::format(
            "sink {}: a row cannot be written: {}{} (on_error: skip leaves such rows out, emit hands them to {}.errors)",
            settings_->name, reason, row >= 0 ? "; row: " + row_for_message(*batch_, row) : std::string(), settings_->name));
  task_.counters->errors.add(1);
  if (settings_->on_error == OnError::kSkip) return;
  ErrorRow error{.reason = reason, .step = settings_->name, .key = key, .value = value};
  const auto column = [&](std::string_view name, TypeKind kind) -> const Column* {
    const auto i = row >= 0 ? settings_->input->find(name) : std::nullopt;
    return i && batch_->column(*i).type().kind() == kind && batch_->column(*i).valid(row) ? &batch_->column(*i) : nullptr;
  };
  if (const Column* c = column("_topic", TypeKind::kVarchar)) error.topic = c->text(row);
  if (const Column* c = column("_partition", TypeKind::kInt)) error.partition = c->values<std::int32_t>()[row];
  if (const Column* c = column("_offset", TypeKind::kBigint)) error.offset = c->values<std::int64_t>()[row];
  bad_rows_.append(error);
}

void KafkaSinkOperator::emit_bad_rows(Output& out) {
  if (bad_rows_.size() > 0) out.emit(kErrorsPort, bad_rows_.finish());
}

}  // namespace weir
