#include "connectors/kafka/exactly_once/lanes.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <future>

#include "connectors/kafka/client/failure.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr int kAbortAtEndMs = 1000;
constexpr int kAskAgainMs = 50;

Duration default_timeout(Duration interval) { return std::max(Duration::seconds(60), Duration{10 * interval.micros}); }

/// How a number of milliseconds is written where Kafka counts in them.
std::string in_ms(Duration d) { return fmt::format("{} ({} ms)", format_duration(d), d.micros / 1000); }

}  // namespace

Lane::Lane(const Cluster& cluster, const ProducerOptions& options, const Clock& clock, CommitCounters* counters)
    : cluster_(cluster),
      options_(options),
      id_(options.transactional_id),
      timeout_(options.transaction_timeout),
      clock_(clock),
      counters_(counters),
      producer_(std::make_unique<Producer>(cluster, options)) {}

/// While the broker ends what an older instance left open, it answers at once that it does. librdkafka then asks again after
/// half a second; a new producer asks sooner.
CallOutcome Lane::init_transactions() {
  using SteadyClock = std::chrono::steady_clock;
  const auto end = SteadyClock::now() + std::chrono::milliseconds(kTransactionCallMs);
  for (;;) {
    const CallOutcome outcome =
        call_transaction([&](int ms) { return rd_kafka_init_transactions(producer_->client(), ms); }, kAskAgainMs);
    if (!outcome.may_pass || SteadyClock::now() > end) return outcome;
    if (outcome.code != RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS) continue;
    producer_.reset();
    producer_ = std::make_unique<Producer>(cluster_, options_);
  }
}

void Lane::fence() {
  const CallOutcome outcome = init_transactions();
  if (outcome.code == RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT)
    throw Error(
        Blame::kUser,
        fmt::format("the broker does not take a transaction time-out of {} (transaction_timeout of the connection, by "
                    "default max(60s, 10 x checkpoint.interval)): transaction.max.timeout.ms of the broker is less",
                    in_ms(timeout_)));
  settle("taking over the transactional id", outcome);
}

void Lane::begin() {
  rd_kafka_error_t* error = rd_kafka_begin_transaction(producer_->client());
  has_output_ = false;
  opened_at_ = 0;
  if (error) {
    const CallOutcome outcome{rd_kafka_error_code(error), rd_kafka_error_string(error)};
    rd_kafka_error_destroy(error);
    settle("beginning a transaction", outcome);
  }
  begun_ = true;
}

void Lane::opened() {
  std::int64_t none = 0;
  opened_at_.compare_exchange_strong(none, std::max<std::int64_t>(clock_.steady().micros, 1));
}

Duration Lane::open_for() const {
  const std::int64_t since = opened_at_;
  return since ? clock_.steady() - Duration{since} : Duration{};
}

void Lane::add_offset(const std::string& group, const std::string& topic, std::int64_t offset, const std::string& metadata) {
  opened();
  const PartitionListPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_t* entry = rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0);
  entry->offset = offset;
  entry->metadata = strdup(metadata.c_str());  // the list frees it
  entry->metadata_size = metadata.size();
  const std::unique_ptr<rd_kafka_consumer_group_metadata_t, DestroyHandle<rd_kafka_consumer_group_metadata_destroy>> who(
      rd_kafka_consumer_group_metadata_new(group.c_str()));
  const CallOutcome outcome = call_transaction(
      [&](int ms) { return rd_kafka_send_offsets_to_transaction(producer_->client(), list.get(), who.get(), ms); },
      kTransactionRequestMs);
  if (outcome.code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
    throw Error(
        Blame::kUser,
        fmt::format("writing the marker of group {} ({}): {}; the principal needs Read on topic {}, at which the marker "
                    "lies, and Write and Describe on all topics of the exactly-once sinks",
                    group, id_, outcome.text, topic));
  settle(fmt::format("writing the marker of group {}", group), outcome);
}

void Lane::commit() {
  const Duration began = clock_.steady();
  settle("committing the transaction",
         call_transaction([&](int ms) { return rd_kafka_commit_transaction(producer_->client(), ms); }));
  begun_ = false;
  opened_at_ = 0;
  if (!counters_) return;
  counters_->committed.add(1);
  counters_->last_micros.set(static_cast<std::uint64_t>((clock_.steady() - began).micros));
}

/// Only what the broker knew of counts: each lane has a transaction begun, most of the time an empty one.
void Lane::count_aborted() const {
  if (counters_ && opened_at_ != 0) counters_->aborted.add(1);
}

bool Lane::abort(int limit_ms) {
  if (!begun_) return true;
  begun_ = false;
  count_aborted();
  if (rd_kafka_fatal_error(producer_->client(), nullptr, 0)) return false;
  const CallOutcome outcome =
      call_transaction([&](int ms) { return rd_kafka_abort_transaction(producer_->client(), ms); }, limit_ms);
  if (outcome.code) spdlog::debug("{}: aborting what is open failed: {}", id_, outcome.text);
  return !outcome.code;
}

void Lane::check() const {
  if (!producer_->broken()) return;
  if (const auto found = producer_->failure()) throw transaction_error("writing rows", state(), found->first, found->second);
}

Error Lane::failure(const std::string& what, rd_kafka_resp_err_t code) const {
  if (const auto found = producer_->failure()) return transaction_error(what, state(), found->first, found->second);
  // Where the transaction failed, rows only show that they were purged; a call that is not allowed now answers with the
  // cause.
  std::string text;
  std::lock_guard lock(asking_);
  if (rd_kafka_error_t* answer = rd_kafka_begin_transaction(producer_->client())) {
    const rd_kafka_resp_err_t cause = rd_kafka_error_code(answer);
    const bool known = cause != RD_KAFKA_RESP_ERR__STATE && cause != RD_KAFKA_RESP_ERR__CONFLICT &&
                       cause != RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS;
    if (known) code = cause, text = rd_kafka_error_string(answer);
    rd_kafka_error_destroy(answer);
  }
  return transaction_error(what, state(), code, text);
}

void Lane::settle(const std::string& what, const CallOutcome& outcome) const {
  if (!outcome.code) return;
  if (const auto found = producer_->failure()) throw transaction_error(what, state(), found->first, found->second);
  throw transaction_error(what, state(), outcome.code, outcome.text);
}

void fence_both(Lane& a, Lane& b) {
  auto second = std::async(std::launch::async, [&b] { b.fence(); });
  a.fence();
  second.get();
}

Lanes::Lanes(ClusterPtr cluster, const AttemptContext& attempt)
    : cluster_(std::move(cluster)),
      job_(attempt.job),
      memory_(attempt.memory),
      clock_(*attempt.clock),
      counters_(attempt.commits),
      asked_timeout_(cluster_->connection().transaction_timeout.value_or(default_timeout(attempt.checkpoint_interval))),
      timeout_factor_(attempt.timeout_factor) {}

std::shared_ptr<Lanes> lanes_of(AttemptContext& attempt, const ClusterPtr& cluster) {
  return attempt.shared<Lanes>("kafka lanes " + cluster->connection().name, [&] { return new Lanes(cluster, attempt); });
}

Lanes::~Lanes() { abort(kAbortAtEndMs); }

void Lanes::join(const std::vector<std::string>& topics) {
  for (const std::string& topic : topics) topics_[topic];
}

std::vector<std::string> Lanes::topics() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : topics_) names.push_back(name);
  return names;
}

void Lanes::look_up() {
  const auto client = cluster_->new_consumer("connection " + cluster_->connection().name, {}, {});
  topics_ = find_sink_topics(*cluster_, client->get(), topics());
  limits_ = broker_limits(client->get());
  choose_timeout();
}

void Lanes::choose_timeout() {
  const Duration most =
      limits_.transaction_timeout.value_or(Duration::milliseconds(std::numeric_limits<std::int32_t>::max()));
  if (asked_timeout_ > most)
    throw Error(
        Blame::kUser,
        fmt::format("the transaction time-out is more than the broker allows: {} (transaction_timeout of connection {}, "
                    "by default max(60s, 10 x checkpoint.interval)), transaction.max.timeout.ms of the broker is {}; "
                    "raise that, or write a shorter transaction_timeout",
                    in_ms(asked_timeout_), cluster_->connection().name, in_ms(most)));
  if (timeout_factor_ > 1 && asked_timeout_.micros * (timeout_factor_ / 2) >= most.micros)
    throw Error(Blame::kRefused,
                fmt::format("the broker aborted a transaction that had the longest time-out that it allows, {} "
                            "(transaction.max.timeout.ms); raise that, or find out what holds up the job's checkpoints",
                            in_ms(most)));
  timeout_ = std::min(Duration{asked_timeout_.micros * timeout_factor_}, most);
}

ProducerOptions Lanes::options(Epoch lane) const {
  ProducerOptions options{.guarantee = Guarantee::kExactlyOnce,
                          .memory = producer_memory(memory_),
                          .transactional_id = lane_id(lane),
                          .transaction_timeout = timeout_};
  for (const auto& [topic, facts] : topics_) fit(options, facts.limits);
  return options;
}

void Lanes::start() {
  for (std::uint64_t i : {0u, 1u}) lanes_[i] = std::make_unique<Lane>(*cluster_, options(Epoch{i}), clock_, counters_);
  fence_both(*lanes_[0], *lanes_[1]);
}

void Lanes::abort(int limit_ms) {
  using SteadyClock = std::chrono::steady_clock;
  const auto end = SteadyClock::now() + std::chrono::milliseconds(limit_ms);
  for (const auto& lane : lanes_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now()).count();
    if (lane) lane->abort(static_cast<int>(std::max<std::int64_t>(left, 1)));
  }
}

}  // namespace weir
