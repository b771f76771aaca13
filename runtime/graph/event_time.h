#pragma once
#include <optional>

#include "runtime/api/component.h"

namespace weir {

/// How a source's rows get their event time.
struct EventTime {
  ExpressionPtr expression;  ///< null: the column is there already
  int column = 0;            ///< the event time's column in the source's rows as they go on
  Duration max_out_of_orderness{};
  std::optional<Duration> idle_after{};  ///< none: never
  std::optional<Duration> max_ahead{};   ///< none: never
  Duration watermark_step{};             ///< as written: an upper bound
  Duration step{};                       ///< in force: the greatest common divisor with the windows downstream
  OnError on_error = OnError::kFail;
};

/// Reads `event_time` of a source with these columns; nothing where it is not given or wrong (reported). `schema` becomes
/// that of the rows as they go on: with the event time marked, and for an expression with one more (metadata) column
/// `_event_time`.
std::optional<EventTime> bind_event_time(const Component& source, SchemaPtr& schema, Diagnostics& diagnostics);

}  // namespace weir
