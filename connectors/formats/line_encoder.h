#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/formats/encoder.h"
#include "runtime/api/component.h"
#include "runtime/api/row_errors.h"

namespace weir {

/// How a sink of lines (file, console) writes the rows of its input.
struct LineFormat {
  std::shared_ptr<const EncoderFactory> encoders;
  SchemaPtr with_op;  ///< under `changelog: append_op` the schema that they take (changelog.h), else null
  std::string sink;
  OnError on_error = OnError::kFail;
  bool refuses_line_feeds = false;  ///< nothing in the format tells one in a value from the end of the line (raw)
};

/// Reads `format`, `changelog` and `on_error` of a sink of lines. It writes all columns of its input but metadata; of an
/// errors stream under `format: raw` only `value`. Nothing where something is wrong, which is reported.
std::optional<LineFormat> bind_line_format(const Component& sink, const BoundInput& input, Diagnostics& diagnostics);

/// Writes rows as records with a line feed behind each. Not thread-safe.
class LineEncoder {
 public:
  explicit LineEncoder(const LineFormat& format) : format_(format), encoder_(format.encoders->make()) {}
  /// Appends the rows to `lines` and returns how many they were: those that are more than a line follow on_error (errors go
  /// to port 0 of `out`; under fail weir::Error, data, is thrown).
  std::int64_t encode(const RecordBatch& batch, std::string& lines, TaskCounters& counters, Output& out);

 private:
  bool is_line(std::size_t begin, std::size_t end) const;

  LineFormat format_;
  std::unique_ptr<RowEncoder> encoder_;
  Buffer bytes_;  ///< kept from batch to batch for its memory
  std::vector<std::size_t> ends_;
};

}  // namespace weir
