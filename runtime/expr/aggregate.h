#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/key_codec.h"
#include "runtime/expr/aggregate/function.h"
#include "runtime/expr/expression.h"

namespace weir {

/// One aggregate call of a step: `sum(price) filter (where ok)`.
struct AggregateCall {
  std::string text;  ///< as it was written; calls of the same text are one
  AggregateFunctionPtr function;
  ExpressionPtr argument;  ///< null: count(*)
  ExpressionPtr filter;    ///< null: all rows
  std::size_t at = 0;      ///< where its accumulator lies in a row of them
  int distinct_set = -1;   ///< of distinct_sets(): where each value must be new for it; -1: takes all rows
  int member = 0;          ///< its place among the calls of that set
  /// A name for people: that of the item that is nothing but this call, else its text.
  std::string name;
};

/// The calls with distinct over one argument, of which each value is kept once for all of them, outside of accumulators.
struct DistinctSet {
  static constexpr std::size_t kMostCalls = 64;
  std::string text;  ///< of the argument, as it was written
  ExpressionPtr argument;
  std::vector<int> calls;  ///< numbers
};

/// The aggregate calls of a step, taken out of its items: what each item does with their results is an expression of its
/// own.
///
/// Built item by item, then only read; any thread may evaluate.
class AggregateCalls {
 public:
  /// `input`: where the arguments come from. `groups`: what items may use beside aggregate calls. `retracts`: the input is a
  /// changelog. `values_apart`: distinct values are kept by whoever updates accumulators, by distinct_sets().
  AggregateCalls(const Schema& input, std::vector<Field> groups, bool retracts, bool values_apart = false);

  /// Binds an item. Its expression is over `results()` as it is then: later calls only add columns at the end. On failure
  /// returns null and appends to `errors`, with offsets in `text`.
  ExpressionPtr bind(const std::string& name, std::string_view text, std::vector<ExpressionError>& errors);
  /// Adds `count(*)`, if it is not there. Returns its number.
  int add_row_count();

  const std::vector<AggregateCall>& calls() const { return calls_; }
  /// Where values are kept apart: calls of one argument share a set, up to DistinctSet::kMostCalls.
  const std::vector<DistinctSet>& distinct_sets() const { return distinct_sets_; }
  bool retracts() const { return retracts_; }
  /// The groups, then the result of each call.
  const Schema& results() const { return results_; }
  int groups() const { return groups_; }
  /// Bytes of a row of accumulators, a multiple of 16.
  std::size_t row_size() const { return row_size_; }
  /// The fields that encode() writes, one for each call.
  std::vector<Field> state_fields() const;

  // A row of accumulators, 16-aligned; all zeros is one that has seen nothing.
  void clear(std::byte* row) const;
  void copy(std::byte* to, const std::byte* from) const;
  void merge(std::byte* to, const std::byte* from) const;
  void encode(const std::byte* row, std::string& out) const;
  void decode(std::byte* row, std::string_view bytes) const;
  /// The same as the last fields of a row that begins with others; `row` has seen nothing.
  void encode(const std::byte* row, std::string& out, RowWriter& writer) const;
  void decode(std::byte* row, std::string_view& in, RowReader& reader) const;
  bool own_memory() const { return own_memory_; }
  /// What a row holds besides its own bytes, about.
  std::size_t owned_bytes(const std::byte* row) const {
    std::size_t bytes = 0;
    if (own_memory_)
      for (const AggregateCall& call : calls_) bytes += call.function->owned_bytes(row + call.at);
    return bytes;
  }
  /// Appends the results of the calls, one builder for each. Returns why a call has none, or "".
  std::string results(const std::byte* row, std::span<ColumnBuilder> builders) const;

 private:
  friend class AggregateBinding;
  int add(AggregateCall call);
  /// Adds a call whose distinct values are kept apart; `argument`: as it was written.
  int add_to_set(AggregateCall call, std::string argument);

  const Schema& input_;
  int groups_;
  bool retracts_, values_apart_, own_memory_ = false;
  std::vector<AggregateCall> calls_;
  std::vector<DistinctSet> distinct_sets_;
  Schema results_;
  std::size_t row_size_ = 0;
};

/// A 16-aligned piece of a row of accumulators, zero at first: a vector of them holds a row outside of any table.
struct alignas(16) AccumulatorBytes {
  std::byte bytes[16] = {};
};

/// The arguments of all calls for the rows of one batch. Kept from batch to batch for its memory; belongs to one task.
class AggregateArguments {
 public:
  explicit AggregateArguments(const AggregateCalls& calls)
      : calls_(calls), of_call_(calls.calls().size()), of_set_(calls.distinct_sets().size()) {}

  /// Evaluates filters and arguments. Rows that fail are appended to `errors`, unsorted: call keep() for the others before
  /// anything is updated.
  void evaluate(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors);
  /// Takes the other rows out: row i of the batch is then what was row `rows[i]` (ascending).
  void keep(std::span<const std::int32_t> rows);
  /// Adds row i of the batch to the accumulators at rows[i]. `sequence` is the arrival number of row 0.
  void update(std::span<std::byte* const> rows, std::uint64_t sequence);
  /// The same for one row of the batch; or retracts it. Rows come in ascending order. Calls of distinct sets are left to
  /// each_distinct() and update_members().
  void update_one(std::int64_t row, std::byte* accumulators, bool retract, std::uint64_t sequence);

  /// The value of a row in a distinct set, and the members of it that take the row.
  struct DistinctValue {
    std::string_view key{};     ///< as EncodedKeys writes it
    std::uint64_t members = 0;  ///< a bit for each; none where the value is null
    std::int64_t place = 0;     ///< for update_members()
  };
  /// Calls `f(row, value)` for each row of the batch.
  template <typename F>
  void each_distinct(std::size_t set, std::int64_t rows, F&& f) {
    begin_set(set);
    for (std::int64_t row = 0; row < rows; ++row) f(row, distinct_value(set, row));
  }
  /// Hands the value at `place` to the members, each of which sees it for the first time, or retracts it.
  void update_members(std::size_t set, std::uint64_t members, std::int64_t place, std::byte* accumulators, bool retract);

 private:
  struct OfCall {
    ColumnPtr argument;
    std::vector<std::int32_t> selected;  ///< rows of the batch, where there is a filter
    std::size_t next = 0;                ///< of `selected`: the first that update_one has not passed
  };
  /// Of a distinct set: one argument for all its calls.
  struct OfSet {
    ColumnPtr argument;  ///< in one form
    bool all = false;    ///< of all rows of the batch; else of `selected`
    std::vector<std::int32_t> selected;
    std::size_t next = 0;  ///< of `selected`
    EncodedKeys keys;
  };
  void evaluate_sets(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors);
  void begin_set(std::size_t set);
  DistinctValue distinct_value(std::size_t set, std::int64_t row);
  std::span<const std::int32_t> keep_selected(std::vector<std::int32_t>& selected, std::span<const std::int32_t> rows);
  /// The place of a row among selected ones, from `next` on; nothing if it is not there.
  static std::optional<std::int64_t> place_of(std::int64_t row, const std::vector<std::int32_t>& selected,
                                              std::size_t& next);

  const AggregateCalls& calls_;
  std::vector<OfCall> of_call_;
  std::vector<OfSet> of_set_;
  std::vector<std::byte*> gathered_;
  std::vector<std::int32_t> places_;
};

}  // namespace weir
