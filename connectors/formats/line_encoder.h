#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/formats/encoder.h"
#include "runtime/api/component.h"

namespace weir {

/// How a sink of lines (file, console) writes the rows of its input.
struct LineFormat {
  std::shared_ptr<const EncoderFactory> encoders;
  SchemaPtr with_op;  ///< under `changelog: append_op` the schema that they take (changelog.h), else null
};

/// Reads `format` and `changelog` of a sink of lines. It writes all columns of its input but metadata; of an errors stream under
/// `format: raw` only `value`. Nothing where something is wrong, which is reported.
std::optional<LineFormat> bind_line_format(const Component& sink, const BoundInput& input, Diagnostics& diagnostics);

/// Writes rows as records with a line feed behind each. Not thread-safe.
class LineEncoder {
 public:
  explicit LineEncoder(const LineFormat& format) : encoder_(format.encoders->make()), with_op_(format.with_op) {}
  void encode(const RecordBatch& batch, std::string& out);

 private:
  std::unique_ptr<RowEncoder> encoder_;
  SchemaPtr with_op_;
  Buffer bytes_;  ///< kept from batch to batch for its memory
  std::vector<std::size_t> ends_;
};

}  // namespace weir
