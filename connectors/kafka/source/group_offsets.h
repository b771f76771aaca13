#pragma once
#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "connectors/kafka/client/handles.h"
#include "connectors/kafka/client/topic_partition.h"
#include "runtime/base/time.h"

namespace weir {

/// Writes the positions of a source for its group, for people who watch it. One request is under way at a time; what comes
/// meanwhile is sent with the next. A failure that passes by itself (a new group's coordinator that is not ready) is tried
/// again for some seconds; any other is only logged.
///
/// Not rd_kafka_commit: a client with a group of its own waits when it is destroyed until the last commit is answered, and a
/// broker that hangs does not answer. Used by one thread.
class GroupOffsets {
 public:
  using Positions = std::map<TopicPartition, std::int64_t>;

  /// `client` must outlive it. `answered` is called from any thread when serve() has something to do, `later` (from serve()
  /// and commit()) when it has after a time.
  GroupOffsets(rd_kafka_t* client, std::string source, std::string group, std::function<void()> answered,
               std::function<void(Duration)> later);
  /// Waits for what is under way, and tries again what failed, at most until kLastAnswer after it was sent. So several that
  /// were sent at the same time wait together when the broker does not answer.
  ~GroupOffsets();

  /// Writes positions, without waiting.
  void commit(const Positions& positions);
  /// Takes the answer, if it is there, and sends again what is due.
  void serve();
  /// True when a request has been under way for so long that its client must be given up before the request's own time-out
  /// comes (see kCoordinatorRequestMs).
  bool is_stuck() const { return under_way_ && SteadyClock::now() - sent_at_ > kStuck; }
  /// True when something is to be sent again now.
  bool is_due() const { return !under_way_ && tries_ > 0 && !waiting_.empty() && SteadyClock::now() >= again_at_; }

 private:
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPause{200};
  static constexpr int kMostTries = 25;
  static constexpr std::chrono::milliseconds kLastAnswer{5000};
  static constexpr std::chrono::seconds kNoAnswer{10};
  static constexpr std::chrono::minutes kStuck{30};
  bool take_answer(int limit_ms);
  void send();

  rd_kafka_t* client_;
  const std::string source_, group_;
  std::function<void()> answered_;
  QueuePtr answers_;
  std::function<void(Duration)> later_;
  Positions waiting_, sent_;
  bool under_way_ = false;
  bool told_ = false;  ///< that what is under way is not answered
  SteadyClock::time_point sent_at_, again_at_;
  int tries_ = 0;  ///< that failed, of what waits
};

}  // namespace weir
