#pragma once
#include <cstdint>

#include "runtime/api/snapshot.h"

namespace weir {

// How a Kafka split moves on, and when a bounded one ends. Between records lie transaction markers and aborted records that
// are never handed out, so the record before the end may not exist: the split has ended when its next offset reaches the
// end, at a record at or past it, or at an end of partition (whose offset counts what is not handed out) at or past it.
// `next` never passes `end`.

/// Marks a bounded split as ended if nothing is left to read. True if it has ended.
inline bool check_end(SplitState& split) { return split.ended = split.end && split.next >= *split.end; }

/// Takes the record at `offset`: true if it belongs to the split and is to be emitted; false if it lies at or past the end.
inline bool take_record(SplitState& split, std::int64_t offset) {
  if (split.end && offset >= *split.end) {
    split.next = *split.end;
    split.ended = true;
    return false;
  }
  split.next = offset + 1;
  return true;
}

/// Takes an end of partition: all before `offset` was handed out or never will be.
inline void take_partition_end(SplitState& split, std::int64_t offset) {
  if (offset > split.next) split.next = split.end && offset > *split.end ? *split.end : offset;
  check_end(split);
}

}  // namespace weir
