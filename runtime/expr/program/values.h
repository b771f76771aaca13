#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/data/column.h"

namespace weir::expr {

/// The rows of a batch that a step works on, ascending.
struct Rows {
  std::int32_t batch = 0;              ///< rows of the batch: the length of every Values
  const std::int32_t* list = nullptr;  ///< null: all of them
  std::int32_t count = 0;

  static Rows all_of(std::int32_t batch) { return {batch, nullptr, batch}; }
  static Rows of(std::int32_t batch, const std::vector<std::int32_t>& rows) {
    static constexpr std::int32_t kNone = 0;  // an empty vector may have no data
    return {batch, rows.empty() ? &kNone : rows.data(), static_cast<std::int32_t>(rows.size())};
  }
  bool all() const { return !list; }
  template <typename F>
  void each(F&& f) const {
    if (!list) {
      for (std::int32_t i = 0; i < batch; ++i) f(i);
    } else {
      for (std::int32_t k = 0; k < count; ++k) f(list[k]);
    }
  }
};

/// A value of a nested type: a row of a column that outlives the evaluation.
struct ValueRef {
  const Column* column = nullptr;
  std::int64_t row = 0;
};

/// What a step of a program yields for the rows of a batch: values at the rows' own positions (those of rows it did not work
/// on are not set), or one constant for all. Unlike in a Column, a boolean is a byte, and a text may point anywhere that
/// outlives the evaluation: into a column, a constant, the frame's arena. Move-only; belongs to one evaluation.
class Values {
 public:
  explicit Values(Type type) : type_(std::move(type)) {}
  Values(Values&&) = default;
  Values& operator=(Values&&) = default;

  /// All rows of a column.
  static Values of_column(ColumnPtr column);
  /// Row 0 of a column of one row, for all rows.
  static Values of_constant(ColumnPtr column);
  /// The same values again; valid while `other` is.
  static Values alias(const Values& other);

  const Type& type() const { return type_; }
  bool constant() const { return mask_ == 0; }
  /// The position of row i: 0 for a constant.
  std::int32_t at(std::int32_t i) const { return i & mask_; }

  /// Null when no value is null; of a constant only bit 0 counts.
  const std::uint8_t* validity() const { return validity_; }
  bool valid(std::int32_t i) const { return !validity_ || get_bit(validity_, at(i)); }
  bool constant_null() const { return constant() && !valid(0); }

  /// Fixed-width values; booleans as std::uint8_t 0 or 1.
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  T value(std::int32_t i) const {
    return static_cast<const T*>(data_)[at(i)];
  }
  bool boolean(std::int32_t i) const { return value<std::uint8_t>(i); }
  std::string_view text(std::int32_t i) const {
    i = at(i);
    if (!offsets_) return static_cast<const std::string_view*>(data_)[i];
    return {static_cast<const char*>(data_) + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }
  /// Set when a text stands in a column's own layout: then data<char>() are its bytes.
  const std::int32_t* offsets() const { return offsets_; }
  ValueRef ref(std::int32_t i) const {
    i = at(i);
    return column_ ? ValueRef{column_.get(), i} : static_cast<const ValueRef*>(data_)[i];
  }
  /// The column whose values these are, if they are its rows as they stand but for nulls added.
  const ColumnPtr& column() const { return column_; }
  /// True if nulls were added to those of the column.
  bool nulls_added() const { return nulls_added_; }

  /// Makes room for `rows` values and returns it.
  template <typename T>
  T* fresh(std::int32_t rows) {
    storage_.resize(static_cast<std::size_t>(rows) * sizeof(T));
    data_ = storage_.data();
    return storage_.as<T>();
  }
  /// Makes a validity bitmap of `rows` bits, all set to `valid`.
  std::uint8_t* fresh_validity(std::int32_t rows, bool valid);
  /// Makes the values null where `other` is; `rows` is the length of the batch.
  void and_validity(const Values& other, std::int32_t rows);
  /// Gives the own storage away, for a column of these values.
  Buffer take_storage() { return std::move(storage_); }
  bool owns_data() const { return data_ && data_ == storage_.data(); }

 private:
  Type type_;
  std::int32_t mask_ = -1;
  const void* data_ = nullptr;
  const std::int32_t* offsets_ = nullptr;
  const std::uint8_t* validity_ = nullptr;
  bool nulls_added_ = false;
  ColumnPtr column_;
  Buffer storage_;
  Buffer validity_storage_;
};

/// The value of each of `rows`, in their order, as a column. `values` is used up.
ColumnPtr to_column(Values values, const Rows& rows);

/// Spreads a bitmap into bytes 0 and 1, `to` having room for a multiple of 8.
void unpack_bits(const std::uint8_t* bits, std::int32_t count, std::uint8_t* to);

}  // namespace weir::expr
