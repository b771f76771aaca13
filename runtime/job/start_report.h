#pragma once
#include "runtime/job/starting_point.h"

namespace weir {

// What a start tells people, as lines of the log.

/// What --drop-state gives up, and which names it was given in vain.
void tell_of_dropped_state(const Graph& graph, const StartingPoint& from);
/// What was restored, step by step, and the claim `claimed` of run `run`.
void tell_of_claim(const std::string& job, const StartingPoint& from, Epoch claimed, const RunId& run);
/// The job finished before.
void tell_of_nothing_to_do(const Graph& graph, const Manifest& finished);

}  // namespace weir
