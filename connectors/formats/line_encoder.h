#pragma once
#include <memory>
#include <string>
#include <vector>

#include "connectors/formats/encoder.h"
#include "runtime/api/component.h"

namespace weir {

/// The columns that a sink of lines (file, console) writes of its input: all but metadata; of an errors stream under
/// `format: raw` only `value`. Reports where nothing is left, and a changelog, which lines cannot tell yet; then empty.
std::vector<int> columns_of_lines(const Component& sink, const BoundInput& input, Diagnostics& diagnostics);

/// Writes rows as records with a line feed behind each. Not thread-safe.
class LineEncoder {
 public:
  explicit LineEncoder(const EncoderFactory& encoders) : encoder_(encoders.make()) {}
  void encode(const RecordBatch& batch, std::string& out);

 private:
  std::unique_ptr<RowEncoder> encoder_;
  Buffer bytes_;  ///< kept from batch to batch for its memory
  std::vector<std::size_t> ends_;
};

}  // namespace weir
