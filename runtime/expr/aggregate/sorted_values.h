#pragma once
#include "runtime/expr/aggregate/kinds.h"

namespace weir::expr {

/// An aggregate that keeps all values, sorted, with how often each is there: for those that rows may be taken back from, and
/// for distinct ones that come out in order.
class SortedValues : public AggregateFunction {
 public:
  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override;
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override;
  void merge(std::byte* to, const std::byte* from) const override;
  void copy(std::byte* to, const std::byte* from) const override;
  void clear(std::byte* state) const override { delete std::exchange(state_at<Values*>(state), nullptr); }
  bool owns_memory() const override { return true; }
  std::size_t owned_bytes(const std::byte* state) const override {
    const Values* values = state_at<Values*>(state);
    return values ? values->bytes() : 0;
  }
  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override;
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override;

 protected:
  /// Encoded keys (runtime/data/key_codec.h), which sort like the values.
  using Values = CountedKeys;
  SortedValues(Type result, const Type& element, bool nulls_too);
  /// The values as a column.
  ColumnPtr column_of(const Values& values) const;
  const Type& element() const { return element_; }

 private:
  static Values& own(Values*& values);
  void add(std::span<std::byte* const> rows, std::size_t at, const Column& argument, std::int64_t begin,
           std::int64_t count) const;

  Type element_;
  bool nulls_too_;
};

}  // namespace weir::expr
