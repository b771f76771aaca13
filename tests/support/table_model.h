#pragma once
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/state/row_sets.h"
#include "runtime/state/state_table.h"

namespace weir {

/// One number a row, in blocks that do not move.
class Numbers : public StateValues {
 public:
  std::int64_t& at(StateSlot slot) const { return blocks_[slot.value / kBlock][slot.value % kBlock]; }
  void reserve(std::uint32_t slots) override;
  void reset(StateSlot slot) override { at(slot) = 0; }
  bool own_memory() const override { return true; }
  std::uint64_t owned_bytes(StateSlot slot) const override { return static_cast<std::uint64_t>(at(slot)); }
  void copy(StateSlot from, StateSlot to) override { at(to) = at(from); }
  void prefetch(StateSlot) const override {}
  void encode(StateSlot slot, std::string& out) const override { out += std::to_string(at(slot)); }
  void decode(StateSlot slot, std::string_view bytes) override { at(slot) = std::stoll(std::string(bytes)); }

 private:
  static constexpr std::uint32_t kBlock = 64;
  std::unique_ptr<std::unique_ptr<std::int64_t[]>[]> blocks_ = std::make_unique<std::unique_ptr<std::int64_t[]>[]>(1 << 14);
  std::uint32_t used_ = 0;
};

/// What a state table should do: window, key, number.
using TableModel = std::map<std::string, std::map<std::string, std::int64_t>>;

/// A state table, or row sets, and a model, driven side by side by random calls; throws std::runtime_error where they
/// differ.
///
/// Deltas are encoded and ingested some calls after their freeze, so that rows in flight are changed, deleted, dropped and
/// forgotten.
template <typename Table>
class BasicTableAndModel {
 public:
  BasicTableAndModel(StateStore& store, std::size_t window_size, KeyGroups groups, unsigned seed);
  /// One random call.
  void step();
  /// Ingests what is in flight, if anything, and compares the store with the model as it was at the freeze.
  void ingest();
  /// Freezes and ingests, compares, and begins anew with a table that knows only the store.
  void restart();
  /// Compares everything.
  void check();
  const TableModel& model() const { return model_; }

 private:
  void drop_first();
  void scan(const std::string& window);
  std::string random_window();
  std::string random_key();
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  TableModel stored() const;
  void require(bool right, const char* what) const;

  StateStore& store_;
  const StateTableOptions options_;
  std::mt19937 random_;
  std::unique_ptr<Numbers> values_;
  std::unique_ptr<Table> table_;
  TableModel model_, frozen_model_;
  std::shared_ptr<const FrozenRows> frozen_;
  Epoch epoch_;
};

using TableAndModel = BasicTableAndModel<StateTable>;
using SetsAndModel = BasicTableAndModel<RowSets>;

}  // namespace weir
