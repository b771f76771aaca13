#include "connectors/formats/raw.h"

#include "connectors/formats/utf8.h"
#include "runtime/base/utf8.h"

namespace weir {

void RawDecoder::decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
                        std::vector<DecodeError>& errors) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (text_ && !is_utf8(records[i])) {
      const std::size_t at = first_invalid_utf8(records[i]);
      const auto byte = static_cast<unsigned char>(records[i][at]);
      errors.push_back(
          {i, fmt::format("field {}: expected varchar, found invalid UTF-8 at byte {}: {:#04x}", name_, at, byte)});
      continue;
    }
    columns[0].append_text(records[i]);
  }
}

void RawEncoder::encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) {
  const Column& column = batch.column(column_);
  for (std::int64_t i = 0; i < batch.rows(); ++i) {
    if (column.valid(i)) {
      const bool bytes = column.type().is_binary();
      if (!bytes) {
        scratch_.clear();
        append_value(scratch_, column, i);
      }
      const std::string_view value = bytes ? column.text(i) : std::string_view(scratch_);
      out.append(value.data(), value.size());
    }
    ends.push_back(out.size());
  }
}

}  // namespace weir
