#pragma once
#include "connectors/formats/decoder.h"
#include "connectors/formats/encoder.h"

namespace weir {

/// Takes a record's bytes as the only column, bytea or varchar; varchar must be UTF-8.
class RawDecoder final : public RowDecoder {
 public:
  explicit RawDecoder(const Field& column) : name_(column.name), text_(column.type.kind() == TypeKind::kVarchar) {}

  void decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
              std::vector<DecodeError>& errors) override;

 private:
  std::string name_;
  bool text_;
};

/// Writes one column: texts and bytes as they are, other types as PostgreSQL prints them; nothing for null.
class RawEncoder final : public RowEncoder {
 public:
  explicit RawEncoder(int column) : column_(column) {}

  void encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) override;

 private:
  int column_;
  std::string scratch_;
};

}  // namespace weir
