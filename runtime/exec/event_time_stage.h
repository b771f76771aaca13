#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/api/source.h"
#include "runtime/exec/watermark_generator.h"
#include "runtime/graph/event_time.h"

namespace weir {

/// Gives the rows of a source task their event time, leaves out those without a usable one, and makes watermarks.
/// Belongs to the task's thread.
class EventTimeStage {
 public:
  /// `rows`: the schema of the rows as they go on; `name`: the source's.
  EventTimeStage(const EventTime& options, SchemaPtr rows, std::string name, const Clock& clock);

  void add_split(const SplitState& split);
  /// The largest time seen of a split.
  std::optional<Timestamp> largest_time(const SplitState& split) const;
  bool is_idle(const SplitState& split) const;
  /// The watermark that the rows of a split make; Timestamp::none() if there were none.
  Timestamp watermark_of(const SplitState& split) const;

  /// A piece of a batch, then a watermark (either may be missing).
  using Send = std::function<void(BatchPtr, std::optional<Timestamp>)>;
  /// Takes a batch as the reader gave it. Bad rows follow on_error: into `errors` (port 1), as
  /// the records they came from.
  void on_batch(const SplitState& split, const BatchPtr& batch, const RecordOf& record_of, TaskCounters& counters,
                Output& errors, const Send& send);

  /// The split has nothing more now.
  void caught_up(const SplitState& split);
  /// The split has nothing ever again: it does not hold back the watermark. Returns the watermark if that moved it.
  std::optional<Timestamp> ended(const SplitState& split);
  /// The steady time at which check_idle() has something to do; none: nothing is to be expected.
  std::optional<Duration> idle_due() const { return idle_due_; }
  /// Splits that were caught up for idle_after and still are by `is_caught_up` become idle. Returns the watermark if that
  /// moved it.
  std::optional<Timestamp> check_idle(const std::function<bool(const SplitState& split)>& is_caught_up);
  bool all_idle() const { return generator_.all_idle(); }
  /// How far the rows that went on have come: the watermark of the split furthest behind, Timestamp::none() if it has rows
  /// to read and none came. Splits that are idle or ended do not count, nor those in which nothing was found yet; nothing if
  /// none does.
  std::optional<Timestamp> position() const;
  /// For people: see WatermarkGenerator::reached.
  Timestamp watermark() const { return generator_.reached(); }

 private:
  int number_of(const SplitState& split) const;
  BatchPtr with_event_time(const RecordBatch& batch, std::vector<RowError>& errors) const;
  void check_times(const Column& times, std::vector<RowError>& errors) const;

  const EventTime& options_;
  const SchemaPtr rows_;
  const std::string name_;
  const Clock& clock_;
  WatermarkGenerator generator_;
  struct Split {
    std::string topic;
    std::int32_t partition;
    bool looked_into;  ///< the reader found it caught up at some time
    std::optional<Duration>
        caught_up_at;  ///< steady time; rows that are refused do not change it: it is as if they were not there
  };
  std::vector<Split> splits_;
  std::map<std::string, std::unordered_map<std::int32_t, int>> numbers_;  ///< places in splits_, by topic and partition
  std::optional<Duration> idle_due_;
  std::vector<WatermarkGenerator::Cut> cuts_;
};

}  // namespace weir
