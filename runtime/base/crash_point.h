#pragma once
#include <string_view>

namespace weir {

/// A named place at which testers let the process die as by SIGKILL: `WEIR_CRASH_AT=after-prepare`, or `after-prepare:3` for
/// the third time that it is passed. Without the variable it costs one comparison. Any thread.
///
/// The places: `after-flush` (all rows of an epoch acknowledged), `after-prepare` (checkpoint prepared, not committed),
/// `after-send-offsets` (marker in the open transaction), `after-commit` (committed, not renamed), `during-rename` (renamed,
/// part files not yet published), `after-init` (older instances fenced, not claimed), `after-claim`, `during-restore`
/// (splits and state being loaded).
void crash_point(std::string_view name);

/// Slows a place down for tests: `WEIR_SLOW_TASK=NAME:MILLISECONDS` makes barrier handling of sink NAME's task 0 wait. 0
/// when unset. (Tests of tasks that pass a barrier at different times.)
int slow_task_milliseconds(std::string_view sink, int task);

}  // namespace weir
