#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/state/state_store.h"

namespace weir {

class FrozenRows;

/// Where the reading of one split stands. What the numbers count is up to the source: offsets of a Kafka partition, bytes of
/// a file, rows of a generator.
struct SplitState {
  std::string topic;  ///< Kafka: topic; file: path; generator: empty
  std::int32_t partition = 0;
  std::int64_t next = 0;                    ///< the next to emit; everything before it was emitted
  std::optional<std::int64_t> end{};        ///< exclusive; none: unbounded
  bool ended = false;                       ///< bounded, and all before `end` was emitted
  std::optional<Timestamp> largest_time{};  ///< largest event time seen
  std::string fingerprint{};  ///< identifies the record before `next`, so that a recreated topic is noticed; or empty

  /// `orders-3`, or the path, or the row source's name: for messages.
  std::string label() const;
  bool same_split(const SplitState& o) const { return topic == o.topic && partition == o.partition; }
  bool operator==(const SplitState&) const = default;
};

/// A file of a sink that gets its final name when its checkpoint commits. Absolute paths on one file system.
struct PendingPart {
  std::string pending;
  std::string final;
  bool operator==(const PendingPart&) const = default;
};

/// What a checkpoint tells people of a split, beside what a restore needs.
struct SplitStatus {
  std::optional<std::int64_t> end{};  ///< where the split ended when the checkpoint was taken, if it was known
  bool idle = false;                  ///< caught up for idle_after: it does not hold back the watermark
};

/// What one task hands in at a barrier.
struct TaskSnapshot {
  std::vector<SplitState> splits;        ///< of a source task
  std::vector<SplitStatus> statuses;     ///< of each of them
  std::optional<Timestamp> watermark{};  ///< of a source task that has one; infinity when all splits ended
  bool idle = false;                     ///< of a source task: all its splits are, so that it holds back no watermark
  std::vector<PendingPart> parts;
  /// What changed in the state tables since the last barrier (runtime/state/state_table.h).
  struct Frozen {
    StateTableId table;
    std::shared_ptr<const FrozenRows> rows;
  };
  std::vector<Frozen> frozen;
  /// W of a keyed step at the barrier: the same in all its tasks.
  struct StepWatermark {
    std::string step;
    Timestamp watermark;
  };
  std::vector<StepWatermark> watermarks;
};

}  // namespace weir
