#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/data/buffer.h"
#include "runtime/data/type.h"

namespace weir {

class Column;
using ColumnPtr = std::shared_ptr<const Column>;
using BufferPtr = std::shared_ptr<const Buffer>;

/// Reads bit i of a bitmap, least significant bit first.
inline bool get_bit(const std::uint8_t* bits, std::int64_t i) { return bits[i >> 3] >> (i & 7) & 1; }
inline void set_bit(std::uint8_t* bits, std::int64_t i) { bits[i >> 3] |= static_cast<std::uint8_t>(1u << (i & 7)); }
inline void clear_bit(std::uint8_t* bits, std::int64_t i) { bits[i >> 3] &= static_cast<std::uint8_t>(~(1u << (i & 7))); }

/// Equally typed values of the rows of a batch, in Arrow's layout (see TypeKind). Immutable, shared by reference; any thread
/// may read it.
///
/// Buffers by type: fixed width -> values; boolean -> values is a bitmap; varchar, bytea, json -> offsets (size + 1) and
/// values; array, map -> offsets (size + 1) and children; row -> children. `validity` is null when no value is null. The
/// value of a null row is unspecified but initialised; offsets of a null row are equal. There is no slice offset: a slice
/// copies.
class Column {
 public:
  Column(Type type, std::int64_t size, std::int64_t nulls, BufferPtr validity, BufferPtr values, BufferPtr offsets = nullptr,
         std::vector<ColumnPtr> children = {})
      : type_(std::move(type)),
        size_(size),
        nulls_(nulls),
        validity_(nulls ? std::move(validity) : nullptr),
        values_(std::move(values)),
        offsets_(std::move(offsets)),
        children_(std::move(children)) {}

  const Type& type() const { return type_; }
  std::int64_t size() const { return size_; }
  std::int64_t null_count() const { return nulls_; }
  bool valid(std::int64_t i) const { return !validity_ || get_bit(validity_->as<std::uint8_t>(), i); }

  /// The validity bitmap, or null when no value is null.
  const std::uint8_t* validity() const { return validity_ ? validity_->as<std::uint8_t>() : nullptr; }
  template <typename T>
  const T* values() const {
    return values_ ? values_->as<T>() : nullptr;
  }
  bool boolean(std::int64_t i) const { return get_bit(values<std::uint8_t>(), i); }
  const std::int32_t* offsets() const { return offsets_->as<std::int32_t>(); }
  /// Bytes of row i of a varchar, bytea or json column.
  std::string_view text(std::int64_t i) const {
    const std::int32_t* o = offsets();
    return {values<char>() + o[i], static_cast<std::size_t>(o[i + 1] - o[i])};
  }
  const std::vector<ColumnPtr>& children() const { return children_; }

  const BufferPtr& validity_buffer() const { return validity_; }
  const BufferPtr& values_buffer() const { return values_; }
  const BufferPtr& offsets_buffer() const { return offsets_; }

  /// Memory held by all buffers, shared ones included.
  std::size_t bytes() const;

 private:
  Type type_;
  std::int64_t size_;
  std::int64_t nulls_;
  BufferPtr validity_;
  BufferPtr values_;
  BufferPtr offsets_;
  std::vector<ColumnPtr> children_;
};

/// Appends values one by one and ends as a Column. One builder for all types: the caller uses the append that fits the type
/// (an unfitting one is a bug, checked by assert). After finish() the builder is empty and can be used again.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(Type type);

  const Type& type() const { return type_; }
  std::int64_t size() const { return size_; }
  /// Of the values so far, about.
  std::size_t bytes() const;
  void reserve(std::int64_t rows);

  void append_null();
  void append_boolean(bool v);
  void append_int(std::int32_t v) { values_.push(v), added_valid(); }     ///< int, date
  void append_bigint(std::int64_t v) { values_.push(v), added_valid(); }  ///< bigint, timestamp
  void append_double(double v) { values_.push(v), added_valid(); }
  void append_decimal(Int128 v) { values_.push(v), added_valid(); }
  void append_interval(const Interval& v) { values_.push(v), added_valid(); }
  /// varchar, bytea, json. Throws weir::Error (data) when the column would exceed 2 GiB.
  void append_text(std::string_view v) {
    check_text_size(v.size());
    values_.append(v.data(), v.size());
    offsets_.push(static_cast<std::int32_t>(values_.size()));
    added_valid();
  }
  /// For writers that produce text in place: append to text_buffer(), then end_text() makes all new bytes one value.
  Buffer& text_buffer() { return values_; }
  void end_text() { offsets_.push(static_cast<std::int32_t>(values_.size())), added_valid(); }

  /// Row: fill every child by one value, then end_row(). Array: fill child(0) by any number, then end_list(); map: both
  /// children.
  ColumnBuilder& child(int i) { return children_[static_cast<std::size_t>(i)]; }
  void end_row() { added_valid(); }
  void end_list();

  /// Appends row i of a column of the same type.
  void append_from(const Column& column, std::int64_t i);
  /// Takes the last value away again, with all it has in children. Used by decoders when a row turns out to be bad.
  void pop();

  ColumnPtr finish();

 private:
  void added_valid() {
    if (has_validity_) mark(true);
    ++size_;
  }
  void mark(bool valid) {
    const auto byte = static_cast<std::size_t>(size_ >> 3);
    if (byte >= validity_.size()) validity_.push(std::uint8_t{0});
    auto* bits = validity_.as<std::uint8_t>();
    valid ? set_bit(bits, size_) : clear_bit(bits, size_);
  }
  void start_validity();
  void check_text_size(std::size_t more) const;

  Type type_;
  std::int64_t size_ = 0;
  std::int64_t nulls_ = 0;
  bool has_validity_ = false;
  Buffer validity_;
  Buffer values_;
  Buffer offsets_;
  std::vector<ColumnBuilder> children_;
};

/// Rows `rows` of the column, in that order.
ColumnPtr take(const Column& column, std::span<const std::int32_t> rows);
/// `count` rows from `begin`.
ColumnPtr slice(const Column& column, std::int64_t begin, std::int64_t count);
/// A column of `size` nulls.
ColumnPtr null_column(const Type& type, std::int64_t size);

/// True if both values are null, or both are not and equal as in PostgreSQL: NaN equals NaN, intervals of the same length
/// are equal, also inside of rows, arrays and maps. Types are the same.
bool same_value(const Column& a, std::int64_t i, const Column& b, std::int64_t j);
/// A 64-bit hash of each row's value combined into `hashes` (h = mix(h, value)); null has a hash of its own. Fixed for ever:
/// part of the checkpoint format. XXH3 over the value's bytes; nested values by their parts.
void combine_hashes(const Column& column, std::span<std::uint64_t> hashes);

/// The value as PostgreSQL prints it: `t`, `12`, `0.1`, `2024-01-01 00:00:00.5`, `{1,2}`; null as `null`. For messages, csv,
/// keys.
void append_value(std::string& out, const Column& column, std::int64_t i);

}  // namespace weir
