#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/data/buffer.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// Turns the rows of batches into the bytes of records. Keeps scratch space, so each task has its own. Not thread-safe.
class RowEncoder {
 public:
  virtual ~RowEncoder() = default;

  /// Appends the bytes of all rows of `batch` to `out`, one behind the other with nothing between, and where each ends
  /// (measured from the beginning of `out`) to `ends`. The batch has the schema the encoder was made for.
  virtual void encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) = 0;
};

/// How the rows for a sink are written. Immutable; any thread may make encoders.
class EncoderFactory {
 public:
  virtual ~EncoderFactory() = default;
  virtual std::unique_ptr<RowEncoder> make() const = 0;

  /// What a file of such records begins with, line feed included; empty for most formats (csv: the header line).
  virtual std::string preamble() const { return {}; }
  /// The column whose nulls stand for null records, not empty ones (raw): what was encoded for such a row is empty.
  virtual std::optional<int> null_record_column() const { return std::nullopt; }
};

}  // namespace weir
