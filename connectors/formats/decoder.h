#pragma once
#include <memory>
#include <optional>
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
  /// Which field, what was expected, what was found: `field price: expected double, found text "abc"`.
  std::string reason;
  /// The byte of the record that it is about, where that says more than the record does.
  std::optional<std::size_t> at{};
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
  virtual void decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
                      std::vector<DecodeError>& errors) = 0;

  /// Takes the first record of a file whose records all have the same columns (csv with `header`); it holds until the next
  /// one. Returns what is wrong with it, or nothing.
  virtual std::optional<std::string> take_header(std::string_view) { return std::nullopt; }
};

/// How the records of a source are read. Immutable; any thread may make decoders.
class DecoderFactory {
 public:
  virtual ~DecoderFactory() = default;
  virtual std::unique_ptr<RowDecoder> make() const = 0;
  /// True if each file begins with a record for RowDecoder::take_header, which must come before decode. Sources that read
  /// no files cannot use such a format.
  virtual bool has_header() const { return false; }
};

}  // namespace weir
