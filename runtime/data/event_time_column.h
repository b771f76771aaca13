#pragma once

namespace weir {

/// The metadata column with the event time of rows that have no other for it: of a source whose event time is an expression,
/// and of windows.
inline constexpr const char* kEventTimeColumn = "_event_time";

}  // namespace weir
