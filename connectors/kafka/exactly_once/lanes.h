#pragma once
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connectors/kafka/client/broker_limits.h"
#include "connectors/kafka/client/cluster.h"
#include "connectors/kafka/client/lookup.h"
#include "connectors/kafka/exactly_once/transaction_calls.h"
#include "connectors/kafka/sink/producer.h"
#include "connectors/kafka/sink/sink_topics.h"
#include "runtime/api/context.h"

namespace weir {

/// One of a job's two transactional producers, `weir-<job>-a` or `-b`. Its transaction holds the rows of one epoch.
///
/// wrote, check and failure may be called from any task; the others one at a time, and never while rows are written.
class Lane {
 public:
  /// Makes the producer. Contacts nothing. `cluster` must outlive it.
  /// What becomes of its transactions is counted in `counters`, which may be null.
  Lane(const Cluster& cluster, const ProducerOptions& options, const Clock& clock, CommitCounters* counters);

  const std::string& id() const { return id_; }
  Producer& producer() { return *producer_; }

  /// Fences older producers of this id and ends what they left open. Blocks.
  void fence();
  /// Rows may be written from now on.
  void begin();
  /// Puts an entry for partition 0 of `topic` into the transaction, as group `group` would commit it. Blocks.
  void add_offset(const std::string& group, const std::string& topic, std::int64_t offset, const std::string& metadata);
  /// Ends the transaction for good. Blocks. When it throws, only the group's marker says whether it was committed.
  void commit();
  /// Gives up the transaction if there is one. Blocks, at most `limit_ms`. False when that failed.
  bool abort(int limit_ms);

  /// A row is about to be written.
  void wrote() {
    if (!has_output_.load(std::memory_order_relaxed)) opened(), has_output_ = true;
  }
  bool has_output() const { return has_output_; }
  /// How long the broker has known of the transaction; zero when it does not.
  Duration open_for() const;
  Duration timeout() const { return timeout_; }

  /// Throws weir::Error if the producer came to an end.
  void check() const;
  /// The error of rows that the producer refused or gave up, by its cause where librdkafka knows one.
  Error failure(const std::string& what, rd_kafka_resp_err_t code) const;

 private:
  void opened();
  CallOutcome init_transactions();
  void count_aborted() const;
  void settle(const std::string& what, const CallOutcome& outcome) const;
  TransactionState state() const { return {id_, open_for(), timeout_}; }

  const Cluster& cluster_;
  const ProducerOptions options_;
  const std::string id_;
  const Duration timeout_;
  const Clock& clock_;
  CommitCounters* const counters_;
  std::atomic<bool> has_output_{false};
  std::atomic<std::int64_t> opened_at_{0};  ///< steady microseconds; 0: the broker does not know of a transaction
  bool begun_ = false;
  mutable std::mutex asking_;  ///< one call of that API at a time
  std::unique_ptr<Producer> producer_;
};

/// Fences the two lanes of a job side by side: one that must end what an older instance left open takes half a second.
/// Blocks.
void fence_both(Lane& a, Lane& b);

/// The two lanes that all exactly-once sinks of an attempt share: epoch N writes into lane N mod 2, so that N+1 is written
/// while N is committed. Used through AttemptContext::shared.
///
/// Sinks join while the attempt is made; then look_up and start, once each, before any task runs.
class Lanes {
 public:
  /// Contacts nothing.
  Lanes(ClusterPtr cluster, const AttemptContext& attempt);
  /// Aborts what is open, so that readers are not held up until the time-out.
  ~Lanes();

  /// A sink writes to these topics through the lanes. True for the first one.
  void join(const std::vector<std::string>& topics);
  const Cluster& cluster() const { return *cluster_; }
  const ClusterPtr& shared_cluster() const { return cluster_; }
  const std::string& job() const { return job_; }
  const Clock& clock() const { return clock_; }
  /// The job's; null where nobody counts.
  CommitCounters* counters() const { return counters_; }
  /// All topics of the sinks, by name: the marker lies at the first.
  std::vector<std::string> topics() const;

  /// Finds the topics and what the brokers allow. Throws weir::Error: kUser when topics are missing or the transaction
  /// time-out is more than the brokers allow. Blocks.
  void look_up();
  /// Makes the producers and fences older ones. Blocks.
  void start();

  /// What look_up found.
  const std::map<std::string, SinkTopicFacts>& facts() const { return topics_; }
  const BrokerLimits& limits() const { return limits_; }
  Duration timeout() const { return timeout_; }
  std::string lane_id(Epoch epoch) const { return fmt::format("weir-{}-{}", job_, epoch.value % 2 ? 'b' : 'a'); }
  /// Only after start().
  Lane& lane(Epoch epoch) { return *lanes_[epoch.value % 2]; }
  const Lane& lane(Epoch epoch) const { return *lanes_[epoch.value % 2]; }
  bool started() const { return lanes_[0] && lanes_[1]; }
  /// Aborts what is open. Blocks, at most `limit_ms` for both lanes.
  void abort(int limit_ms);

 private:
  void choose_timeout();
  ProducerOptions options(Epoch lane) const;

  const ClusterPtr cluster_;
  const std::string job_;
  const std::size_t memory_;
  const Clock& clock_;
  CommitCounters* const counters_;
  const Duration asked_timeout_;  ///< as the file says, or the default
  const int timeout_factor_;
  Duration timeout_{};
  std::map<std::string, SinkTopicFacts> topics_;
  BrokerLimits limits_;
  std::array<std::unique_ptr<Lane>, 2> lanes_;
};

/// The lanes of an attempt for the exactly-once sinks on a connection, made at the first use.
std::shared_ptr<Lanes> lanes_of(AttemptContext& attempt, const ClusterPtr& cluster);

}  // namespace weir
