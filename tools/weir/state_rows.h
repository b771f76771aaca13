#pragma once
#include <string>
#include <vector>

#include "runtime/checkpoint/manifest.h"
#include "runtime/data/column.h"
#include "runtime/state/state_store.h"
#include "runtime/state/table_declaration.h"

namespace weir {

/// Rows of a table as a manifest counts them, with `~` before what is estimated.
std::string row_count_text(std::uint64_t rows);

/// Decodes rows of one state table of a checkpoint: what lies in the store as bytes becomes columns named by the table's schema.
class TableRows {
 public:
  explicit TableRows(const ManifestTable& table);

  /// Window and key of a stored row as a JSON object: `{"customer":7,"window_start":"…"}`.
  std::string key(std::string_view stored_key);
  std::string value(std::string_view stored_value);

 private:
  std::string object(const std::vector<const Field*>& fields, std::vector<ColumnBuilder>& builders);

  TableDeclaration table_;
  std::vector<ColumnBuilder> window_, key_, value_;
  std::size_t window_size_ = 0;  ///< bytes
};

}  // namespace weir
