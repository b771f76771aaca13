#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/column.h"
#include "runtime/data/schema.h"

namespace weir {

/// A record that gave no row.
struct DecodeError {
  std::size_t record;  ///< its index in the records given
  /// Which field, what was found, what was expected: `field price: expected double, found text "abc"`.
  std::string reason;
};

/// Turns the bytes of records into rows. Keeps what it learnt from one record for the next, so each task has its own.
/// Not thread-safe.
class RowDecoder {
 public:
  virtual ~RowDecoder() = default;

  /// Appends one value per good record to each of `columns` (one per field of the schema the decoder was made for, all
  /// equally long). A record that cannot be decoded leaves nothing in any column and one entry in `errors`, which is
  /// appended in the order of the records. Null values (tombstones) are no records: the caller deals with them before.
  ///
  /// The bytes need no padding and are not kept.
  virtual void decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns, std::vector<DecodeError>& errors) = 0;
};

/// How the records of a source are read. Immutable; any thread may make decoders.
class DecoderFactory {
 public:
  virtual ~DecoderFactory() = default;
  virtual std::unique_ptr<RowDecoder> make() const = 0;
};

}  // namespace weir
