#pragma once
#include <string>
#include <vector>

#include "connectors/formats/decoder.h"
#include "connectors/formats/encoder.h"
#include "connectors/formats/text_value.h"

namespace weir {

/// How comma-separated values are read and written (RFC 4180).
struct CsvOptions {
  bool header = false;  ///< the first record of a file names its columns
  char delimiter = ',';
  std::string null_text;  ///< what stands for null, outside of quotes
};

/// Reads records of delimited fields: without a header one per column in order, with one by name. A field in double quotes
/// may hold anything, a quote written twice; it is never null. A byte-order mark is text: it is for those who read files to
/// take it off. Not thread-safe.
class CsvDecoder final : public RowDecoder {
 public:
  CsvDecoder(const Schema& schema, CsvOptions options);

  void decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
              std::vector<DecodeError>& errors) override;
  /// Finds each column of the schema in the header; columns that the schema does not have are passed over.
  std::optional<std::string> take_header(std::string_view record) override;

 private:
  struct CsvField {
    std::string_view text;
    bool quoted;
  };
  bool split(std::string_view record, DecodeError& error);
  bool split_quoted(std::string_view record, std::size_t& at, DecodeError& error);
  bool read_row(std::string_view record, std::span<ColumnBuilder> columns, DecodeError& error);
  bool read_field(std::size_t column, const CsvField& field, ColumnBuilder& out, std::string& reason);

  CsvOptions options_;
  std::vector<Field> columns_;
  std::vector<TextValueReader> readers_;
  std::vector<std::size_t> places_;  ///< of each column among the fields of a record
  std::size_t width_;                ///< fields of a record
  std::vector<CsvField> fields_;     ///< of the record being read
  std::string unquoted_;             ///< memory of its quoted fields
};

/// Writes the chosen columns as PostgreSQL prints their values, rows, arrays and maps as JSON; quoted where needed.
class CsvEncoder final : public RowEncoder {
 public:
  CsvEncoder(std::vector<int> columns, CsvOptions options) : columns_(std::move(columns)), options_(std::move(options)) {}

  void encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) override;
  /// A field as it must be written so that it reads back as this text; `alone`: there is no other in its record, and an
  /// empty line would be no record.
  static void append_field(Buffer& out, std::string_view text, const CsvOptions& options, bool alone);

 private:
  std::vector<int> columns_;
  CsvOptions options_;
  std::string scratch_;
};

}  // namespace weir
