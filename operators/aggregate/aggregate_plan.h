#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operators/aggregate/window_shape.h"
#include "runtime/api/component.h"
#include "runtime/expr/aggregate.h"

namespace weir {

/// A column or expression that rows are grouped by.
struct GroupColumn {
  Field field;
  std::optional<int> column{};  ///< of the input; none where it is computed
  ExpressionPtr expression{};   ///< the same as an expression
};

/// An aggregate step, bound. Immutable; shared by its tasks.
struct AggregatePlan {
  enum class Kind {
    kAligned,    ///< tumbling, hopping and cumulating windows: rows come out when they close
    kUpdating,   ///< aligned windows of which every change comes out at once
    kSession,    ///< rows come out when the session closes, or with on_update every change at once
    kChangelog,  ///< no windows: every change comes out at once
  };
  std::string step;
  Kind kind = Kind::kAligned;
  OnError on_error = OnError::kFail;
  SchemaPtr input;
  int time = 0;  ///< the input's event time column, with windows
  std::vector<GroupColumn> by;
  WindowShape shape;       ///< kAligned, kUpdating
  Duration gap;            ///< kSession
  bool on_update = false;  ///< kSession; true for kUpdating, kChangelog
  std::unique_ptr<AggregateCalls>
      calls;          ///< its results begin with the group columns, with windows then `window_start`, `window_end`
  SchemaPtr results;  ///< of the calls, as a schema of batches
  std::vector<ExpressionPtr> items;  ///< the selected columns, over `results`
  int row_count = -1;                ///< kChangelog: the call that counts the rows of a group
  SchemaPtr output;                  ///< groups, with windows their bounds, items, with windows the event time
  bool windowed() const { return kind != Kind::kChangelog; }
  bool aligned() const { return kind == Kind::kAligned || kind == Kind::kUpdating; }
};

/// Where the rows of an aggregate step come out.
constexpr int kAggregatedPort = 0, kLatePort = 1;
/// The port of rows that fail.
inline int errors_port(const AggregatePlan& plan) { return plan.windowed() ? 2 : 1; }

std::unique_ptr<Operator> make_aligned_aggregate(std::shared_ptr<const AggregatePlan> plan);
std::unique_ptr<Operator> make_session_aggregate(std::shared_ptr<const AggregatePlan> plan);
std::unique_ptr<Operator> make_updating_aggregate(std::shared_ptr<const AggregatePlan> plan);
std::unique_ptr<Operator> make_changelog_aggregate(std::shared_ptr<const AggregatePlan> plan);

}  // namespace weir
