#pragma once
#include "connectors/formats/decoder.h"
#include "connectors/formats/json/json_options.h"
#include "connectors/formats/json/json_reader.h"
#include "connectors/formats/json/json_tokens.h"

namespace weir {

/// Reads records that are one JSON object each. What surprises is listed in this folder's README.
class JsonDecoder final : public RowDecoder {
 public:
  JsonDecoder(const Schema& schema, const JsonOptions& options);

  void decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
              std::vector<DecodeError>& errors) override;

 private:
  /// Reads the documents in the tokens; `first` is the record of the first one.
  void read_chunk(std::size_t first, std::span<ColumnBuilder> columns, std::vector<DecodeError>& errors);
  void fetch_ahead();
  void read_one_by_one(std::size_t first, std::span<ColumnBuilder> columns, std::vector<DecodeError>& errors);
  bool read_document(std::string_view document, std::span<ColumnBuilder> columns);
  bool read_whole_document(ColumnBuilder& column);
  std::string reason(std::string_view document);

  JsonOptions options_;
  JsonTokens tokens_;
  JsonCursor cursor_;
  JsonObjectReader object_;
  std::span<const std::string_view> coming_;  ///< records of the next chunk, while decode() runs
};

}  // namespace weir
