#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/data/column.h"
#include "runtime/data/row_values.h"
#include "runtime/expr/bind/functions.h"

namespace weir {

/// An aggregate function for one type of argument: what its accumulators look like and what is done to them. Immutable; any
/// thread.
///
/// An accumulator is `size()` bytes somewhere in a row of them, aligned to 16. All zeros is the one that has seen nothing.
/// It may own memory: clear() frees it. Errors of values (a sum that does not fit) are kept in the accumulator until its
/// result is asked for.
class AggregateFunction {
 public:
  virtual ~AggregateFunction() = default;

  const Type& type() const { return type_; }         ///< of the result
  bool nullable() const { return nullable_; }        ///< the result may be null
  const Type& state_type() const { return state_; }  ///< of the one field that encode writes; may be null
  std::size_t size() const { return size_; }

  /// Takes rows of the argument from `begin` on, one for each accumulator: rows[k] + at is that of row begin + k. `argument`
  /// is null for count(*). `sequence` is the arrival number of the first of them; greater means later, for functions that go
  /// by arrival.
  virtual void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
                      std::uint64_t sequence) const = 0;
  /// Takes rows back that were given before. Only where it was made for that.
  virtual void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const;
  /// Makes `to` what it had been if it had seen what `from` has seen, too.
  virtual void merge(std::byte* to, const std::byte* from) const = 0;
  /// `to` has seen nothing.
  virtual void copy(std::byte* to, const std::byte* from) const { std::memcpy(to, from, size_); }
  /// Makes it one that has seen nothing.
  virtual void clear(std::byte* state) const { std::memset(state, 0, size_); }
  /// True if clear() has memory to free.
  virtual bool owns_memory() const { return false; }
  /// That memory, about; takes no longer with more of it.
  virtual std::size_t owned_bytes(const std::byte*) const { return 0; }
  /// Appends the result. Returns why there is none, after appending null, or "".
  virtual std::string result(const std::byte* state, ColumnBuilder& out) const = 0;

  virtual void encode(const std::byte* state, std::string& out, RowWriter& writer) const = 0;
  /// `state` has seen nothing. `in` is what `reader` reads from.
  virtual void decode(std::byte* state, std::string_view& in, RowReader& reader) const = 0;

 protected:
  AggregateFunction(Type type, bool nullable, Type state, std::size_t size)
      : type_(std::move(type)), state_(std::move(state)), nullable_(nullable), size_(size) {}

 private:
  Type type_, state_;
  bool nullable_;
  std::size_t size_;
};

using AggregateFunctionPtr = std::shared_ptr<const AggregateFunction>;

/// What an aggregate call asks for.
struct AggregateRequest {
  std::string name;                 ///< as called, in lower case
  std::optional<Field> argument{};  ///< none: count(*)
  bool distinct = false;
  std::optional<std::string> delimiter{};  ///< the second argument of string_agg
  bool retracts = false;                   ///< rows may be taken back: the input is a changelog
  /// With distinct: whoever uses the function hands it each value once, where keeps_distinct_values().
  bool values_apart = false;
};

/// True if the function is computed from a set of values that somebody has to keep; else distinct changes nothing, or the
/// function keeps its values for its result too.
bool keeps_distinct_values(const AggregateRequest& request);

/// True for the names that make_aggregate knows.
bool is_aggregate(std::string_view name);
/// All names, for "did you mean".
const std::vector<std::string>& aggregate_names();
/// The forms of all aggregate functions, for the reference: what each gives, and what a row that is taken back costs.
const std::vector<FunctionDoc>& aggregate_docs();
/// The function, or null and why not.
AggregateFunctionPtr make_aggregate(const AggregateRequest& request, std::string& problem);

}  // namespace weir
