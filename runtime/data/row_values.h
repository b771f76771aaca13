#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/data/column.h"

namespace weir {

/// Writes the values of one row, one after the other, as they are kept in state. Part of the checkpoint format.
///
/// First a bit for each field (least significant first; 1: not null), then the values that are not null: integers, dates and
/// timestamps as zigzag varints, decimals likewise of 128 bits, doubles as eight bytes, booleans as one, intervals as three
/// varints, texts as their size and bytes. A row as a row; an array as its size and a row of its elements; a map as its
/// size, a row of keys, a row of values.
class RowWriter {
 public:
  /// Appends to `out`. `fields` values must follow.
  RowWriter(std::string& out, std::size_t fields) : out_(out), bits_(out.size()) { out.append((fields + 7) / 8, '\0'); }

  void null() { ++field_; }
  void boolean(bool v);
  void integer(std::int64_t v);
  void decimal(Int128 v);
  void dbl(double v);
  void interval(const Interval& v);
  void text(std::string_view v);
  /// Row i of a column.
  void value(const Column& column, std::int64_t i);
  /// Begins a list of `size` elements: a RowWriter of that many fields must follow (of a map: two).
  void list(std::size_t size);
  /// Begins a row: a RowWriter must follow.
  void row() { present(); }

 private:
  void present();
  void varint(UInt128 v);
  std::string& out_;
  std::size_t bits_, field_ = 0;
};

/// Reads what a RowWriter wrote, in the same order. Throws Error(kRefused) where the bytes end too early.
class RowReader {
 public:
  /// Takes bytes from the beginning of `in`.
  RowReader(std::string_view& in, std::size_t fields);

  /// True if the next value is null, which is then taken.
  bool null();
  bool boolean();
  std::int64_t integer();
  Int128 decimal();
  double dbl();
  Interval interval();
  std::string_view text();
  /// Appends the next value, null or not, to a builder of its type.
  void value(ColumnBuilder& builder);
  /// The size of a list: a RowReader of that many fields must follow (of a map: two).
  std::size_t list();
  void row() { ++field_; }

 private:
  UInt128 varint();
  std::string_view take(std::size_t size);
  std::string_view& in_;
  std::string_view bits_;
  std::size_t field_ = 0;
};

}  // namespace weir
