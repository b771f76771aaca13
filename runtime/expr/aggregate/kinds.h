#pragma once
#include <map>

#include "runtime/data/key_codec.h"
#include "runtime/expr/aggregate/function.h"

namespace weir::expr {

/// An accumulator inside a row.
template <typename State>
State& state_at(std::byte* row, std::size_t at = 0) {
  return *reinterpret_cast<State*>(row + at);
}
template <typename State>
const State& state_at(const std::byte* row) {
  return *reinterpret_cast<const State*>(row);
}

/// Calls `f(state, value, row of the column)` for each row whose value is not null.
template <typename State, typename T, typename F>
void each_value(std::span<std::byte* const> rows, std::size_t at, const Column& argument, std::int64_t begin, F&& f) {
  const T* values = argument.values<T>() + begin;
  if (argument.null_count() == 0) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      f(state_at<State>(rows[k], at), values[k], begin + static_cast<std::int64_t>(k));
    return;
  }
  const std::uint8_t* valid = argument.validity();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::int64_t row = begin + static_cast<std::int64_t>(k);
    if (get_bit(valid, row)) f(state_at<State>(rows[k], at), values[k], row);
  }
}

/// What a text takes beside its own 32 bytes.
inline std::size_t text_bytes(const std::string& text) {
  constexpr std::size_t kInside = 15, kAllocator = 16;
  return text.capacity() > kInside ? text.capacity() + kAllocator : 0;
}

/// Encoded keys (runtime/data/key_codec.h), sorted, each with how often it is there.
class CountedKeys {
 public:
  using Map = std::map<std::string, std::int64_t, std::less<>>;
  const Map& map() const { return map_; }
  std::size_t bytes() const { return bytes_ + map_.size() * kNode; }
  /// Adds to the count of a key and returns it; at 0 the key goes.
  std::int64_t add(std::string_view key, std::int64_t count) {
    const auto [at, fresh] = map_.try_emplace(std::string(key), 0);
    if (fresh) bytes_ += text_bytes(at->first);
    const std::int64_t now = at->second += count;
    if (now == 0) {
      bytes_ -= text_bytes(at->first);
      map_.erase(at);
    }
    return now;
  }

 private:
  static constexpr std::size_t kNode = sizeof(Map::value_type) + 48;  ///< with links, the allocator's part
  Map map_;
  std::size_t bytes_ = 0;  ///< of texts
};

/// The keys of the `count` rows from `begin` on, key k being that of row begin + k.
inline EncodedKeys keys_of(const Column& argument, std::int64_t begin, std::size_t count) {
  const auto rows = static_cast<std::int64_t>(count);
  const bool whole = begin == 0 && rows == argument.size();
  const ColumnPtr column[] = {whole ? ColumnPtr(ColumnPtr(), &argument) : slice(argument, begin, rows)};
  EncodedKeys keys;
  keys.encode(column, rows);
  return keys;
}

// Each returns null where the argument's type has no such function. `request` has an argument but for count.
AggregateFunctionPtr make_count(const AggregateRequest& request);
AggregateFunctionPtr make_sum(const AggregateRequest& request);
AggregateFunctionPtr make_average(const AggregateRequest& request);
/// variance, var_pop, var_samp, stddev, stddev_pop, stddev_samp.
AggregateFunctionPtr make_variance(const AggregateRequest& request);
AggregateFunctionPtr make_boolean(const AggregateRequest& request, bool all);
/// min and max. With retracts they keep all values.
AggregateFunctionPtr make_extreme(const AggregateRequest& request, bool greatest);
/// first, last and any_value: by arrival, nulls left out. With retracts they keep all values.
AggregateFunctionPtr make_by_arrival(const AggregateRequest& request, bool last);
/// array_agg and string_agg, in order of arrival.
AggregateFunctionPtr make_collection(const AggregateRequest& request);
/// The same with distinct: sorted.
AggregateFunctionPtr make_sorted_collection(const AggregateRequest& request);
/// Hands each value to `inner` once.
AggregateFunctionPtr make_distinct(const AggregateRequest& request, AggregateFunctionPtr inner);

}  // namespace weir::expr
