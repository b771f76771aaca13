#pragma once
#include <variant>

#include "runtime/base/ids.h"
#include "runtime/base/time.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// No more rows with time <= `time` are expected.
struct Watermark {
  Timestamp time;
};
/// The place in a stream where epoch `epoch` ends.
struct Barrier {
  Epoch epoch;
};
/// The channel has no rows for now and must not hold back the watermark; the next batch or watermark undoes it.
struct Idle {};
/// Nothing ever again.
struct End {};
/// One of several inputs of a task ended, and others are open. Made by the task's gate for its first operator; it goes no
/// further.
struct InputEnd {};

/// What travels in channels and chains: batches, and the control elements between them, in one order.
using Element = std::variant<BatchPtr, Watermark, Barrier, Idle, End, InputEnd>;

}  // namespace weir
