#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  /// A name for people: that of the item that is nothing but this call, else its text.
  std::string name;
};

/// The aggregate calls of a step, taken out of its items: what each item does with their results is an expression of its
/// own.
///
/// Built item by item, then only read; any thread may evaluate.
class AggregateCalls {
 public:
  /// `input`: where the arguments come from. `groups`: what items may use beside aggregate calls. `retracts`: the input is a
  /// changelog.
  AggregateCalls(const Schema& input, std::vector<Field> groups, bool retracts);

  /// Binds an item. Its expression is over `results()` as it is then: later calls only add columns at the end. On failure
  /// returns null and appends to `errors`, with offsets in `text`.
  ExpressionPtr bind(const std::string& name, std::string_view text, std::vector<ExpressionError>& errors);
  /// Adds `count(*)`, if it is not there. Returns its number.
  int add_row_count();

  const std::vector<AggregateCall>& calls() const { return calls_; }
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

  const Schema& input_;
  int groups_;
  bool retracts_, own_memory_ = false;
  std::vector<AggregateCall> calls_;
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
  explicit AggregateArguments(const AggregateCalls& calls) : calls_(calls), of_call_(calls.calls().size()) {}

  /// Evaluates filters and arguments. Rows that fail are appended to `errors`, unsorted: call keep() for the others before
  /// anything is updated.
  void evaluate(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors);
  /// Takes the other rows out: row i of the batch is then what was row `rows[i]` (ascending).
  void keep(std::span<const std::int32_t> rows);
  /// Adds row i of the batch to the accumulators at rows[i]. `sequence` is the arrival number of row 0.
  void update(std::span<std::byte* const> rows, std::uint64_t sequence);
  /// The same for one row of the batch; or takes it back.
  void update_one(std::int64_t row, std::byte* accumulators, bool retract, std::uint64_t sequence);

 private:
  struct OfCall {
    ColumnPtr argument;
    std::vector<std::int32_t> selected;  ///< rows of the batch, where there is a filter
    std::size_t next = 0;                ///< of `selected`: the first that update_one has not passed
  };
  const AggregateCalls& calls_;
  std::vector<OfCall> of_call_;
  std::vector<std::byte*> gathered_;
  std::vector<std::int32_t> places_;
};

}  // namespace weir
