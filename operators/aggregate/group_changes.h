#pragma once
#include <vector>

#include "operators/aggregate/aggregate_output.h"

namespace weir {

/// What rows of the input did to groups, as a changelog: +I when a group's row appears, -U and +U when it changes, -D when
/// it goes. A group whose result fails has no row while it does. Belongs to one task.
class GroupChanges {
 public:
  explicit GroupChanges(const AggregatePlan& plan) : plan_(plan), output_(plan) {}

  /// A group as it is before a row changes it. `start` and `end`: of its window, if there are windows.
  void before(std::string_view key, std::int64_t start, std::int64_t end, const std::byte* accumulators) {
    change_.before = add(key, start, end, accumulators);
  }
  /// The group as it is then.
  void after(std::string_view key, std::int64_t start, std::int64_t end, const std::byte* accumulators) {
    change_.after = add(key, start, end, accumulators);
  }
  /// Ends a change. Without before() the group is new, without after() it is gone.
  void done() { changes_.push_back(std::exchange(change_, {})); }
  /// There are enough for a batch.
  bool full() const { return output_.full(); }

  /// Begins a call of the operator, in which something went out already or not.
  void begin(bool emitted) { emitted_ = emitted; }
  /// Hands on the changes so far, those that show. False, and nothing, if the output is full: then in another call.
  bool emit(Evaluation& evaluation, TaskCounters& counters, Output& out);

 private:
  /// The places of a group's rows in the output, before and after; -1: there is none.
  struct Change {
    std::int32_t before = -1, after = -1;
  };
  std::int32_t add(std::string_view key, std::int64_t start, std::int64_t end, const std::byte* accumulators) {
    output_.add(key, start, end, accumulators);
    return static_cast<std::int32_t>(output_.size()) - 1;
  }
  void report_failures(AggregateOutput::Made& made, TaskCounters& counters, Output& out) const;

  const AggregatePlan& plan_;
  AggregateOutput output_;
  Change change_;
  std::vector<Change> changes_;
  bool emitted_ = false;  ///< in this call: the first batch is always taken
};

}  // namespace weir
