#pragma once
#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "connectors/kafka/handles.h"
#include "connectors/kafka/topic_partition.h"

namespace weir {

/// Writes the positions of a source for its group, for people who watch it. One request is under way at a time; what comes
/// meanwhile is sent with the next. A failure is only logged.
///
/// Not rd_kafka_commit: a client with a group of its own waits when it is destroyed until the last commit is answered, and a
/// broker that hangs does not answer. Used by one thread.
class GroupOffsets {
 public:
  using Positions = std::map<TopicPartition, std::int64_t>;

  /// `client` must outlive it. `answered` is called from any thread when serve() has something to do.
  GroupOffsets(rd_kafka_t* client, std::string source, std::string group, std::function<void()> answered);
  /// Waits for what is under way, at most kLastAnswerMs.
  ~GroupOffsets();

  /// Writes positions, without waiting.
  void commit(const Positions& positions);
  /// Takes the answer, if it is there.
  void serve() { take_answer(0); }

 private:
  static constexpr int kLastAnswerMs = 3000;
  bool take_answer(int limit_ms);
  void send();

  rd_kafka_t* client_;
  const std::string source_, group_;
  std::function<void()> answered_;
  QueuePtr answers_;
  Positions waiting_;
  bool under_way_ = false;
};

}  // namespace weir
