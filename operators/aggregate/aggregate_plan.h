#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operators/aggregate/window_shape.h"
#include "operators/keyed_step.h"
#include "runtime/api/component.h"
#include "runtime/expr/aggregate.h"

namespace weir {

/// An aggregate step, bound. Immutable; shared by its tasks.
struct AggregatePlan {
  enum class Kind {
    kWindow,        ///< tumbling, hopping and cumulating windows: rows come out when they close
    kEarlyWindow,   ///< the same windows, of which every change comes out at once
    kSession,       ///< sessions: rows come out when they close
    kEarlySession,  ///< sessions of which every change comes out at once
    kGroup,         ///< no windows: every change comes out at once
  };
  std::string step;
  Kind kind = Kind::kWindow;
  OnError on_error = OnError::kFail;
  SchemaPtr input;
  int time = 0;  ///< the input's event time column, with windows
  KeyBy by;
  WindowShape shape;  ///< kWindow, kEarlyWindow
  Duration gap;       ///< kSession, kEarlySession
  std::unique_ptr<AggregateCalls>
      calls;          ///< its results begin with the group columns, with windows then `window_start`, `window_end`
  SchemaPtr results;  ///< of the calls, as a schema of batches
  std::vector<ExpressionPtr> items;  ///< the selected columns, over `results`
  int row_count = -1;                ///< kGroup: the call that counts the rows of a group
  SchemaPtr output;                  ///< groups, with windows their bounds, items, with windows the event time
  bool windowed() const { return kind != Kind::kGroup; }
  bool aligned() const { return kind == Kind::kWindow || kind == Kind::kEarlyWindow; }
  bool sessions() const { return kind == Kind::kSession || kind == Kind::kEarlySession; }
  /// Distinct values are rows of tables of their own (distinct_values.h). Not where accumulators are merged.
  bool values_apart() const { return kind == Kind::kGroup || kind == Kind::kEarlyWindow; }
  /// The result is a changelog.
  bool on_update() const { return kind != Kind::kWindow && kind != Kind::kSession; }
};

/// Where the rows of an aggregate step come out.
constexpr int kAggregatedPort = 0, kLatePort = 1;
/// The port of rows that fail.
inline int errors_port(const AggregatePlan& plan) { return plan.windowed() ? 2 : 1; }

using AggregatePlanPtr = std::shared_ptr<const AggregatePlan>;

std::unique_ptr<BoundStep> bound_aggregate(AggregatePlanPtr plan);

// Each makes the operator of a task for one kind.
std::unique_ptr<Operator> make_window_aggregate(AggregatePlanPtr plan, KeyedState& state);
std::unique_ptr<Operator> make_early_window_aggregate(AggregatePlanPtr plan, KeyedState& state);
std::unique_ptr<Operator> make_session_aggregate(AggregatePlanPtr plan, KeyedState& state);
std::unique_ptr<Operator> make_early_session_aggregate(AggregatePlanPtr plan, KeyedState& state);
std::unique_ptr<Operator> make_group_aggregate(AggregatePlanPtr plan, KeyedState& state);

}  // namespace weir
