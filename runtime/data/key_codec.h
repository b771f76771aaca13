#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/data/record_batch.h"

namespace weir {

/// True for types whose values can be part of a key: all but json and the nested ones, which have no order.
bool is_key_type(const Type& type);

/// True for types of which equal values may look different: intervals, doubles (-0 and 0), and what holds them.
bool has_several_forms(const Type& type);

/// The column with equal values in one form, as decode_key() gives them back: intervals as canonical_interval(), -0 as 0,
/// also inside of rows, arrays and maps. For whoever prints keys. The same column where its type has but one form.
ColumnPtr canonical_column(const ColumnPtr& column);

/// The keys of all rows of a batch as bytes that sort like the values, column by column, null above everything as in
/// PostgreSQL. Part of the checkpoint format.
///
/// A value is a byte 1 and its bytes, null a byte 2. Integers, dates and timestamps: big-endian with the sign bit turned;
/// doubles: likewise, negative ones with all bits turned, -0 as 0, all NaNs as one; decimals: 16 bytes; intervals: their
/// length, then months, days and microseconds of canonical_interval(); booleans: one byte. So equal values have equal keys.
/// Fixed-width values keep their width when null, filled with zeros. Texts: a zero byte is written 00 FF, the end is 00 01.
/// Kept from batch to batch for its memory; not thread-safe.
class EncodedKeys {
 public:
  /// Encodes columns of equal length and key types, as many rows as `rows` says (there may be no columns: then all keys are
  /// empty).
  void encode(std::span<const ColumnPtr> columns, std::int64_t rows);
  void encode(const RecordBatch& batch, std::span<const int> columns);

  std::int64_t size() const { return rows_; }
  std::string_view operator[](std::int64_t i) const {
    const auto n = static_cast<std::size_t>(i);
    if (offsets_.empty()) return {bytes_.data() + n * width_, width_};
    return {bytes_.data() + offsets_[n], offsets_[n + 1] - offsets_[n]};
  }

 private:
  void lay_out(std::span<const ColumnPtr> columns);
  void fill(const Column& column);
  template <typename T, typename Write>
  void fill_fixed(const Column& column, std::size_t width, Write write);
  void fill_text(const Column& column);

  std::int64_t rows_ = 0;
  std::size_t width_ = 0;  ///< of each key, where all are equally long
  std::size_t column_at_ = 0;
  std::vector<char> bytes_;
  std::vector<std::size_t> offsets_;  ///< empty where all are equally long
  std::vector<std::size_t> cursors_;
};

/// Appends the values of one key to `builders`, which say its types. Throws Error(kRefused) if the bytes are something else.
void decode_key(std::string_view key, std::span<ColumnBuilder> builders);

}  // namespace weir
