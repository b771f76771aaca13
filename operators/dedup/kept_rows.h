#pragma once
#include <functional>
#include <string>

#include "operators/aggregate/slot_blocks.h"
#include "operators/aggregate/window_shape.h"
#include "operators/dedup/dedup_plan.h"
#include "runtime/state/row_codec.h"

namespace weir {

/// What a dedup step remembers of a row: its event time and its bytes, each only where it needs them.
struct KeptRow {
  std::int64_t time = 0;
  std::string bytes;
};

/// Kept rows by slot, written as a row of `at` (if the step forgets) and the columns (if it hands them on again).
class KeptRows final : public StateValues {
 public:
  KeptRows(bool times, bool bytes) : times_(times), bytes_(bytes) {}
  KeptRow& at(StateSlot slot) const { return rows_.at(slot); }

  void reserve(std::uint32_t slots) override { rows_.reserve(slots); }
  void reset(StateSlot slot) override {
    at(slot).time = 0;
    std::string().swap(at(slot).bytes);  // an assignment would keep its memory
  }
  bool own_memory() const override { return bytes_; }
  std::uint64_t owned_bytes(StateSlot slot) const override { return at(slot).bytes.capacity(); }
  void copy(StateSlot from, StateSlot to) override { at(to) = at(from); }
  [[gnu::always_inline]] void prefetch(StateSlot slot) const override { rows_.prefetch(slot); }
  void encode(StateSlot slot, std::string& out) const override;
  void decode(StateSlot slot, std::string_view bytes) override;

 private:
  bool times_, bytes_;
  SlotBlocks<KeptRow> rows_;
};

/// The rows that a dedup step remembers, by key. With `within` by key and time: windows of the table are pieces of time,
/// each dropped whole when the watermark has passed it, so that forgetting costs nothing for each row.
class RememberedRows {
 public:
  RememberedRows(const DedupPlan& plan, KeyedState& state)
      : plan_(plan),
        pieces_of_time_(pieces_of(plan)),
        values_(plan.within.has_value(), plan.last),
        table_(state, "rows", values_, sizeof(KeptRow)),
        watermark_(state.watermark()) {}

  std::int64_t watermark() const { return watermark_.micros(); }
  /// Forgets what lies more than `within` behind.
  void on_watermark(Timestamp w);

  /// Call it before row `row` of a batch is asked for: see KeyedTable::look_ahead.
  void look_ahead(std::span<const std::uint64_t> hashes, std::int64_t row) {
    if (!plan_.within) table_.look_ahead({}, hashes, row, values_);
  }
  /// Calls `visit` for the rows of a key that are less than `within` from a time (without within: for the key's row); it may
  /// not change anything.
  void each(std::string_view key, std::uint64_t hash, std::int64_t time, const std::function<void(const KeptRow&)>& visit);
  bool any(std::string_view key, std::uint64_t hash, std::int64_t time);
  /// Forgets those rows.
  void forget(std::string_view key, std::uint64_t hash, std::int64_t time);
  /// Remembers a row; another of its key and about its time is forgotten.
  KeptRow& keep(std::string_view key, std::uint64_t hash, std::int64_t time);

 private:
  /// Calls `visit` with the name of each piece that may have rows near a time, in their order.
  template <typename F>
  void each_piece(std::int64_t time, F&& visit) const;
  bool near(const KeptRow& row, std::int64_t time) const;

  static WindowShape pieces_of(const DedupPlan& plan);

  const DedupPlan& plan_;
  const WindowShape pieces_of_time_;
  KeptRows values_;
  KeyedTable table_;
  StepWatermark& watermark_;
};

}  // namespace weir
