#include "connectors/kafka/sink/producer.h"

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/exactly_once/transaction_calls.h"
#include "runtime/base/error.h"

namespace weir {

namespace {

constexpr int kAnswersMs = 500;

}  // namespace

const char* to_string(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kExactlyOnce: return "exactly_once";
    case Guarantee::kAtLeastOnce: return "at_least_once";
    case Guarantee::kNone: return "none";
  }
  return "";
}

std::string ProducerOptions::key(const std::string& connection) const {
  return fmt::format("kafka producer {} {} {} {}", connection, static_cast<int>(guarantee), largest_record, largest_batch);
}

Producer::Producer(const Cluster& cluster, const ProducerOptions& options)
    : options_(options), limit_(static_cast<std::int64_t>(options.memory)) {
  const bool safe = options.guarantee != Guarantee::kNone;
  // What is under way is bounded here: librdkafka must never find its own queue full, or rows of one partition could change
  // places.
  Properties properties = {{"enable.idempotence", safe ? "true" : "false"},
                           {"acks", safe ? "all" : "1"},
                           {"queue.buffering.max.messages", "10000000"},
                           {"queue.buffering.max.kbytes", "2147483647"},
                           {"message.max.bytes", std::to_string(std::max<std::int64_t>(options.largest_record, 1000))}};
  // A batch larger than the topics take would be refused with every row in it.
  const std::int64_t wanted = cluster.connection().producer_number("batch.size").value_or(options.largest_batch);
  const Properties limits = {
      {"batch.size", std::to_string(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(options.largest_batch, 1)))}};
  std::string label = fmt::format("connection {}", cluster.connection().name);
  if (!options.transactional_id.empty()) {
    properties.emplace_back("transactional.id", options.transactional_id);
    const std::int64_t timeout_ms = options.transaction_timeout.micros / 1000;
    properties.emplace_back("transaction.timeout.ms", std::to_string(timeout_ms));
    properties.emplace_back("socket.timeout.ms", std::to_string(std::min<std::int64_t>(timeout_ms, kTransactionRequestMs)));
    label += ", producer " + options.transactional_id;
  }
  ClientEvents events;
  events.delivered = on_delivery;
  events.error = [this](rd_kafka_resp_err_t code, const std::string& text) {
    if (blame_of(code) == Blame::kEnvironment && code != RD_KAFKA_RESP_ERR__FATAL)
      return;  // librdkafka tries again by itself
    {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_.emplace(code, text);
    }
    broken_ = true;
    wake_waiting();
  };
  client_ = cluster.new_producer(label, properties, limits, std::move(events));
  answers_.reset(rd_kafka_queue_get_main(client_->get()));
  thread_ = std::thread([this] { take_answers(); });
}

Producer::~Producer() {
  stop_ = true;
  rd_kafka_queue_yield(answers_.get());
  thread_.join();
  rd_kafka_purge(client(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  // Only takes the answers of what was purged. Requests that a hung broker holds may keep some back for longer than a stop
  // may take: those are given up with the client.
  rd_kafka_flush(client(), kAnswersMs);
  topics_.clear();  // before their client
}

void Producer::take_answers() {
  while (!stop_) rd_kafka_poll(client(), 1000);
}

void Producer::on_delivery(const rd_kafka_message_t& message) {
  auto& batch = *static_cast<SentBatch*>(message._private);
  if (!message.err) return batch.answer(1, 1);
  const char* topic = rd_kafka_topic_name(message.rkt);
  const auto copy = [](const void* data, std::size_t size) {
    return data ? std::optional<std::string>(std::in_place, static_cast<const char*>(data), size) : std::nullopt;
  };
  if (batch.producer().guarantee() == Guarantee::kNone) {
    batch.task().lost();
  } else if (concerns_record(message.err)) {
    batch.task().refused({message.err, topic, copy(message.key, message.key_len), copy(message.payload, message.len)});
  } else {
    batch.task().failed({message.err, topic});
  }
  batch.answer(1, 0);
}

rd_kafka_topic_t* Producer::topic(const std::string& name, const Properties& properties) {
  std::lock_guard lock(mutex_);
  TopicPtr& topic = topics_[name];
  if (topic) return topic.get();
  rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(client());
  char text[512];
  for (const auto& [property, value] : properties)
    rd_kafka_topic_conf_set(conf, property.c_str(), value.c_str(), text, sizeof text);
  topic.reset(rd_kafka_topic_new(client(), name.c_str(), conf));
  if (!topic) throw kafka_error(fmt::format("writing topic '{}'", name), rd_kafka_last_error());
  return topic.get();
}

std::optional<std::pair<rd_kafka_resp_err_t, std::string>> Producer::failure() const {
  // librdkafka knows of a fatal error before its event is taken; an abortable one shows at the rows.
  char fatal[512];
  if (const auto cause = rd_kafka_fatal_error(client(), fatal, sizeof fatal)) return std::pair(cause, std::string(fatal));
  std::lock_guard lock(mutex_);
  return failure_;
}

void Producer::check() const {
  if (!broken_) return;
  if (const auto found = failure()) throw kafka_error(client_->label(), found->first, found->second);
}

void Producer::wake_when_room(std::shared_ptr<Deliveries> task) {
  std::lock_guard lock(mutex_);
  if (std::find(waiting_.begin(), waiting_.end(), task) == waiting_.end()) waiting_.push_back(std::move(task));
  someone_waits_ = true;
}

void Producer::in_flight(std::int64_t bytes) {
  const std::int64_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  // Woken at half the limit, so that a task does not stop and go with every batch.
  if (bytes < 0 && now <= limit_ / 2 && someone_waits_) wake_waiting();
}

void Producer::wake_waiting() {
  std::vector<std::shared_ptr<Deliveries>> waiting;
  {
    std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    someone_waits_ = false;
  }
  for (const auto& task : waiting) task->wake();
}

}  // namespace weir
