#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "connectors/formats/csv/csv.h"
#include "connectors/formats/decoder.h"
#include "connectors/formats/encoder.h"
#include "connectors/formats/json/json_options.h"
#include "connectors/formats/record_splitter.h"
#include "runtime/config/pipeline_file.h"

namespace weir {

/// The formats that are built: json, csv, raw. For the wiring.
std::vector<Declaration> format_declarations();

/// How a source's records become rows.
struct SourceFormat {
  std::vector<Field> columns;  ///< the schema as written, or the format's own column
  std::shared_ptr<const DecoderFactory> decoders;
  RecordFraming framing = RecordFraming::kNonEmptyLines;  ///< in files
};
/// Reads `format` and `schema` of a source. Nothing when something is wrong with them, which is reported.
std::optional<SourceFormat> bind_source_format(const Component& source, Diagnostics& diagnostics);

/// Reports `header: true` of csv, for components whose records are not lines of a file or stream.
void refuse_header(const Component& component, Diagnostics& diagnostics);

/// Reads `format` of a sink that writes these columns (indices into `input`) of its input. Null when something is wrong.
std::shared_ptr<const EncoderFactory> bind_sink_format(const Component& sink, const Schema& input, std::vector<int> columns,
                                                       Diagnostics& diagnostics);

// For those that choose a format themselves (keys, tests).
std::shared_ptr<const DecoderFactory> json_decoders(Schema schema, JsonOptions options = {});
std::shared_ptr<const DecoderFactory> csv_decoders(Schema schema, CsvOptions options = {});
/// `column` is bytea or varchar.
std::shared_ptr<const DecoderFactory> raw_decoders(Field column);
std::shared_ptr<const EncoderFactory> json_encoders(Schema schema, std::vector<int> columns, JsonOptions options = {});
std::shared_ptr<const EncoderFactory> csv_encoders(Schema schema, std::vector<int> columns, CsvOptions options = {});
/// Any type: see RawEncoder.
std::shared_ptr<const EncoderFactory> raw_encoders(int column);

}  // namespace weir
