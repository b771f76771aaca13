#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/api/context.h"
#include "runtime/graph/graph.h"

namespace weir {

/// Keeps the tasks of sources whose rows meet within `max_drift` of each other in event time: one that is further ahead of
/// the one furthest behind is not to read until that has come closer. A replayed join or union would otherwise hold the rows
/// of its faster input without bound.
///
/// Tasks that hold back no watermark do not count: idle and ended ones, and those that found nothing to read and never had a
/// row. The task furthest behind is never held, so some task always reads. Rows are held to within a batch: the one that
/// takes a task too far ahead is emitted whole.
///
/// Thread-safe; each member is used by its own task's thread, and added before any is used.
class WatermarkAlignment {
 public:
  explicit WatermarkAlignment(Duration max_drift) : max_drift_(max_drift) {}
  /// Adds a task; `wake` makes it look again. Returns its number.
  int add(Waker wake);
  /// Where a member stands: the watermark of the rows it emitted, Timestamp::none() if it has rows to read and emitted none;
  /// nothing while it does not count.
  void set(int member, std::optional<Timestamp> watermark);
  /// True while the member should not read. It is woken when it may.
  bool too_far_ahead(int member);

 private:
  struct Member {
    Waker wake;
    std::optional<Timestamp> watermark{};
    bool held = false;
  };
  std::optional<Timestamp> limit() const;
  static bool may_read(const Member& member, const std::optional<Timestamp>& limit);

  const Duration max_drift_;
  std::mutex mutex_;
  std::vector<Member> members_;
};

/// For each step with several inputs the sources with event time whose rows meet in it, if they are several; each set once.
/// Vertices of the graph, ascending.
std::vector<std::vector<int>> sources_that_meet(const Graph& graph);

}  // namespace weir
