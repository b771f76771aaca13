#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "operators/aggregate/aggregate_plan.h"
#include "operators/aggregate/slot_blocks.h"
#include "operators/key_by.h"
#include "operators/keyed_state.h"

namespace weir {

/// How often each call of a distinct set has seen a value: once at most where rows are never retracted.
class DistinctCounts final : public StateValues {
 public:
  DistinctCounts(std::size_t members, bool retracts)
      : members_(members), retracts_(retracts), slots_(value_bytes(members, retracts)) {}
  /// Bytes of a value: a bit for each member, or a count.
  static std::size_t value_bytes(std::size_t members, bool retracts) {
    return sizeof(std::int64_t) * (retracts ? members : 1);
  }

  /// The members of `members` for which the value is new when it is added at this slot.
  std::uint64_t unseen(StateSlot slot, std::uint64_t members) const;
  /// Adds the value for the members. Returns those that had not seen it.
  std::uint64_t add(StateSlot slot, std::uint64_t members);
  /// Takes it away once for the members. Returns those that see it no longer.
  std::uint64_t remove(StateSlot slot, std::uint64_t members);
  /// No member sees it.
  bool empty(StateSlot slot) const;

  void reserve(std::uint32_t slots) override { slots_.reserve(slots); }
  void reset(StateSlot slot) override { std::memset(slots_.at(slot), 0, value_bytes(members_, retracts_)); }
  bool own_memory() const override { return false; }
  std::uint64_t owned_bytes(StateSlot) const override { return 0; }
  void copy(StateSlot from, StateSlot to) override {
    std::memcpy(slots_.at(to), slots_.at(from), value_bytes(members_, retracts_));
  }
  [[gnu::always_inline]] void prefetch(StateSlot slot) const override { slots_.prefetch(slot); }
  void encode(StateSlot slot, std::string& out) const override;
  void decode(StateSlot slot, std::string_view bytes) override;

 private:
  std::int64_t* counts(StateSlot slot) const { return reinterpret_cast<std::int64_t*>(slots_.at(slot)); }
  std::uint64_t& bits(StateSlot slot) const { return *reinterpret_cast<std::uint64_t*>(slots_.at(slot)); }

  const std::size_t members_;
  const bool retracts_;
  SlotMemory slots_;
};

/// The distinct values of an aggregate step's groups: a table for each set of calls that share an argument, a row for each
/// value of a group. So a change costs one small row, however many values a group has. Belongs to one task.
class DistinctValues {
 public:
  DistinctValues(const AggregatePlan& plan, KeyedState& state);
  /// The tables, without windows' names; they mean what the step's first table means.
  static std::vector<TableDeclaration> tables(const AggregatePlan& plan);

  bool empty() const { return sets_.empty(); }
  /// Begins a batch, whose groups have these keys.
  void begin(const BatchKeys& groups, AggregateArguments& arguments, std::int64_t rows);
  /// Gives row `row` of the batch to the calls for which its values are new in the group, whose accumulators these are; or
  /// retracts it. Rows come in ascending order.
  void update(std::int64_t row, std::string_view window, std::byte* accumulators, bool retract);
  /// Drops all windows up to this one.
  void drop_through(std::string_view window);

 private:
  struct Set {
    Set(const AggregatePlan& plan, KeyedState& state, std::size_t number);
    DistinctCounts counts;
    KeyedTable table;
    // Of the rows of a batch.
    std::string keys;  ///< group and value, one behind the other
    std::vector<std::size_t> ends;
    std::vector<std::uint64_t> members, hashes;
    std::vector<std::int64_t> places;

    std::string_view key(std::size_t row) const {
      const std::size_t begin = row ? ends[row - 1] : 0;
      return std::string_view(keys).substr(begin, ends[row] - begin);
    }
  };
  void update_set(std::size_t number, std::size_t row, std::string_view window, std::byte* accumulators, bool retract);

  std::deque<Set> sets_;  ///< they do not move
  AggregateArguments* arguments_ = nullptr;
  const bool retracts_;
};

}  // namespace weir
