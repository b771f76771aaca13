#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir {

/// What the rows of one state table cost. `row_bytes` is the memory of a row: key, place in the index, value. A row in
/// flight costs `flight_bytes` besides: its entry in the list of frozen rows and in the delta. `idle_bytes` is what is held
/// though no row needs it: an index does not shrink with its rows, and a window costs something without any.
struct StateMemory {
  std::uint64_t rows = 0;  ///< values in memory, frozen ones too
  std::uint64_t dirty = 0, in_flight = 0;
  std::uint64_t row_bytes = 0, flight_bytes = 0;
  std::uint64_t idle_bytes = 0;

  std::uint64_t rows_bytes() const { return rows * row_bytes + in_flight * flight_bytes; }
  std::uint64_t bytes() const { return rows_bytes() + idle_bytes; }
};

/// What a table does so that its rows stay within its share.
struct RoomPlan {
  std::uint64_t evict = 0;       ///< so many clean rows are to be forgotten, if there are
  bool want_checkpoint = false;  ///< the next checkpoint should come at once: dirty rows come near their part of the share
  bool wait = false;             ///< nothing may change before the epoch in flight is ingested
};

/// What idle memory leaves of a share, but not less than half of it, is for rows. Half of that is for dirty rows, as large
/// as they will be in flight: the other half is for those in flight, while the next gather. So a checkpoint is wanted when
/// the first is three quarters full, which leaves the barrier time to arrive; and rows wait when it is full and an epoch is
/// in flight. While none is, nothing may wait: the barrier is behind these rows.
RoomPlan plan_room(const StateMemory& memory, std::uint64_t share);

/// The part of a job's `memory` that is for rows of state: half of what the program itself leaves (about 48 MiB: code,
/// stacks, what the allocator holds for each thread), but a quarter at least. The rest is for prefetch, queues and the
/// store.
std::uint64_t memory_for_rows(std::uint64_t memory);

/// The part of the job's memory that all rows of state share. Every table is sure of its even part, and may have more where
/// the others leave it. Thread-safe.
class StateBudget {
 public:
  StateBudget(std::uint64_t limit, std::size_t tables) : limit_(limit), even_(limit / (tables == 0 ? 1 : tables)) {}

  /// The share of a table that holds `mine` bytes.
  std::uint64_t share(std::uint64_t mine) const;
  /// A table that held `before` bytes now holds `now`.
  void change(std::uint64_t before, std::uint64_t now) { used_.fetch_add(now - before, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t limit_, even_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace weir
