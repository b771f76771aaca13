#include "connectors/formats/formats.h"
#include "connectors/formats/json/json_decoder.h"
#include "connectors/formats/json/json_encoder.h"
#include "connectors/formats/raw.h"

namespace weir {

namespace {

class JsonDecoders final : public DecoderFactory {
 public:
  JsonDecoders(Schema schema, JsonOptions options) : schema_(std::move(schema)), options_(options) {}
  std::unique_ptr<RowDecoder> make() const override { return std::make_unique<JsonDecoder>(schema_, options_); }

 private:
  Schema schema_;
  JsonOptions options_;
};

class CsvDecoders final : public DecoderFactory {
 public:
  CsvDecoders(Schema schema, CsvOptions options) : schema_(std::move(schema)), options_(std::move(options)) {}
  std::unique_ptr<RowDecoder> make() const override { return std::make_unique<CsvDecoder>(schema_, options_); }
  bool has_header() const override { return options_.header; }

 private:
  Schema schema_;
  CsvOptions options_;
};

class RawDecoders final : public DecoderFactory {
 public:
  explicit RawDecoders(Field column) : column_(std::move(column)) {}
  std::unique_ptr<RowDecoder> make() const override { return std::make_unique<RawDecoder>(column_); }

 private:
  Field column_;
};

class JsonEncoders final : public EncoderFactory {
 public:
  JsonEncoders(Schema schema, std::vector<int> columns, JsonOptions options)
      : schema_(std::move(schema)), columns_(std::move(columns)), options_(options) {}
  std::unique_ptr<RowEncoder> make() const override { return std::make_unique<JsonEncoder>(schema_, columns_, options_); }

 private:
  Schema schema_;
  std::vector<int> columns_;
  JsonOptions options_;
};

class CsvEncoders final : public EncoderFactory {
 public:
  CsvEncoders(Schema schema, std::vector<int> columns, CsvOptions options)
      : schema_(std::move(schema)), columns_(std::move(columns)), options_(std::move(options)) {}
  std::unique_ptr<RowEncoder> make() const override { return std::make_unique<CsvEncoder>(columns_, options_); }

  std::string preamble() const override {
    if (!options_.header) return {};
    Buffer line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i) line.push(options_.delimiter);
      CsvEncoder::append_field(line, schema_[columns_[i]].name, options_, columns_.size() == 1);
    }
    line.push('\n');
    return std::string(line.as<char>(), line.size());
  }

 private:
  Schema schema_;
  std::vector<int> columns_;
  CsvOptions options_;
};

class RawEncoders final : public EncoderFactory {
 public:
  explicit RawEncoders(int column) : column_(column) {}
  std::unique_ptr<RowEncoder> make() const override { return std::make_unique<RawEncoder>(column_); }
  std::optional<int> null_record_column() const override { return column_; }

 private:
  int column_;
};

}  // namespace

std::shared_ptr<const DecoderFactory> json_decoders(Schema schema, JsonOptions options) {
  return std::make_shared<JsonDecoders>(std::move(schema), options);
}
std::shared_ptr<const DecoderFactory> csv_decoders(Schema schema, CsvOptions options) {
  return std::make_shared<CsvDecoders>(std::move(schema), std::move(options));
}
std::shared_ptr<const DecoderFactory> raw_decoders(Field column) { return std::make_shared<RawDecoders>(std::move(column)); }

std::shared_ptr<const EncoderFactory> json_encoders(Schema schema, std::vector<int> columns, JsonOptions options) {
  return std::make_shared<JsonEncoders>(std::move(schema), std::move(columns), options);
}
std::shared_ptr<const EncoderFactory> csv_encoders(Schema schema, std::vector<int> columns, CsvOptions options) {
  return std::make_shared<CsvEncoders>(std::move(schema), std::move(columns), std::move(options));
}
std::shared_ptr<const EncoderFactory> raw_encoders(int column) { return std::make_shared<RawEncoders>(column); }

}  // namespace weir
