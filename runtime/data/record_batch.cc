#include "runtime/data/record_batch.h"

namespace weir {

std::size_t RecordBatch::bytes() const {
  std::size_t n = kinds_.size();
  for (const ColumnPtr& c : columns_) n += c->bytes();
  return n;
}

BatchPtr take(const RecordBatch& batch, std::span<const std::int32_t> rows) {
  std::vector<ColumnPtr> columns;
  columns.reserve(batch.columns().size());
  for (const ColumnPtr& c : batch.columns()) columns.push_back(take(*c, rows));
  std::vector<RowKind> kinds;
  if (!batch.kinds().empty())
    for (const std::int32_t row : rows) kinds.push_back(batch.kinds()[static_cast<std::size_t>(row)]);
  return std::make_shared<const RecordBatch>(batch.schema(), std::move(columns), static_cast<std::int64_t>(rows.size()),
                                             std::move(kinds));
}

BatchPtr slice(const RecordBatch& batch, std::int64_t begin, std::int64_t count) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(begin + i);
  return take(batch, rows);
}

BatchPtr with_schema(const RecordBatch& batch, SchemaPtr schema) {
  return std::make_shared<const RecordBatch>(std::move(schema), batch.columns(), batch.rows(),
                                             std::vector<RowKind>(batch.kinds().begin(), batch.kinds().end()));
}

}  // namespace weir
