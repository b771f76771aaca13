#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/api/context.h"
#include "runtime/graph/graph.h"

namespace weir {

/// Keeps the splits of sources whose rows meet within `max_drift` of each other in event time: one that is further ahead of
/// the one furthest behind is not to be read until that has come closer. A replayed join or union would otherwise hold the
/// rows of its faster input without bound.
///
/// Splits that hold back no watermark do not count: idle and ended ones, and those in which nothing was found yet. The one
/// furthest behind is never held, so something is always read. Rows are held to within a batch: the one with which a split
/// gets too far ahead is emitted whole.
///
/// Members are the source tasks. Thread-safe; each is used by its own task's thread, and added before any is used.
class WatermarkAlignment {
 public:
  explicit WatermarkAlignment(Duration max_drift) : max_drift_(max_drift) {}
  /// Adds a task; `wake` makes it look again. Returns its number.
  int add(Waker wake);
  /// Where a member's split furthest behind stands: the watermark of its rows, Timestamp::none() if it has rows to read and
  /// emitted none; nothing while no split of the member counts.
  void set(int member, std::optional<Timestamp> position);
  /// The watermark up to which splits may be read; nothing: all may.
  std::optional<Timestamp> limit();
  /// True while a split that stands at `position` is beyond the limit; the member is woken when it no longer is. One wait a
  /// member, the last.
  bool wait(int member, Timestamp position);

 private:
  struct Member {
    Waker wake;
    std::optional<Timestamp> position{};
    std::optional<Timestamp> waits{};  ///< for the limit to reach this
  };
  std::optional<Timestamp> find_limit() const;

  const Duration max_drift_;
  std::mutex mutex_;
  std::vector<Member> members_;
};

/// For each step with several inputs the sources with event time whose rows meet in it, if they are several; each set once.
/// Vertices of the graph, ascending.
std::vector<std::vector<int>> sources_that_meet(const Graph& graph);

}  // namespace weir
