#pragma once
#include <cstdint>
#include <memory>
#include <span>
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

  /// What a file of such records begins with, line feed included; empty for most formats (csv: the header line).
  virtual std::string_view preamble() const { return {}; }
};

/// How the rows for a sink are written. Immutable; any thread may make encoders.
class EncoderFactory {
 public:
  virtual ~EncoderFactory() = default;
  virtual std::unique_ptr<RowEncoder> make() const = 0;
};

}  // namespace weir
