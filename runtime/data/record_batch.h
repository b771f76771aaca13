#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/data/column.h"
#include "runtime/data/schema.h"

namespace weir {

/// What a row of a changelog does to the result so far.
enum class RowKind : std::uint8_t { kInsert, kUpdateBefore, kUpdateAfter, kDelete };

class RecordBatch;
using BatchPtr = std::shared_ptr<const RecordBatch>;

/// A schema and equally long columns: the unit in which rows move. Immutable, shared by reference; never empty on its way
/// between tasks.
class RecordBatch {
 public:
  /// `columns` fit `schema` in number, type and length. `kinds` is empty unless the schema is a changelog.
  RecordBatch(SchemaPtr schema, std::vector<ColumnPtr> columns, std::int64_t rows, std::vector<RowKind> kinds = {})
      : schema_(std::move(schema)), columns_(std::move(columns)), rows_(rows), kinds_(std::move(kinds)) {}

  const SchemaPtr& schema() const { return schema_; }
  std::int64_t rows() const { return rows_; }
  const std::vector<ColumnPtr>& columns() const { return columns_; }
  const Column& column(int i) const { return *columns_[static_cast<std::size_t>(i)]; }
  std::span<const RowKind> kinds() const { return kinds_; }
  /// Memory held by the columns.
  std::size_t bytes() const;

 private:
  SchemaPtr schema_;
  std::vector<ColumnPtr> columns_;
  std::int64_t rows_;
  std::vector<RowKind> kinds_;
};

/// The given rows in the given order, as a batch of the same schema.
BatchPtr take(const RecordBatch& batch, std::span<const std::int32_t> rows);
BatchPtr slice(const RecordBatch& batch, std::int64_t begin, std::int64_t count);
/// The same columns under another schema of the same types (renamed, other event time).
BatchPtr with_schema(const RecordBatch& batch, SchemaPtr schema);

}  // namespace weir
