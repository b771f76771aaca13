#pragma once
#include <string>
#include <vector>

#include "runtime/checkpoint/manifest.h"
#include "runtime/data/column.h"
#include "runtime/state/table_declaration.h"

namespace weir {

/// Rows of a table as a manifest counts them, with `~` before what is estimated.
std::string row_count_text(std::uint64_t rows);

/// A member of a JSON object. Its value is kept as text: a number in it may have more digits than a double or 64 bits hold.
struct JsonMember {
  std::string name, value;
};
/// `{"customer":7,"n":3}`
std::string object_text(const std::vector<JsonMember>& members);

/// What a checkpoint keeps of a split of a source, as a row of its table `splits`.
const std::vector<Field>& split_key_fields();
std::vector<JsonMember> split_key(const ManifestSplit& split);
std::vector<JsonMember> split_value(const ManifestSplit& split);
/// The split's key as a state table would store it.
std::string stored_split_key(const ManifestSplit& split);

/// Decodes rows of one state table of a checkpoint: what lies in the store as bytes becomes JSON whose members are named by
/// the table's schema. Values are exact, as JSON.
class TableRows {
 public:
  explicit TableRows(const ManifestTable& table);

  const TableDeclaration& table() const { return table_; }
  /// Key and window of a stored row as a JSON object: `{"customer":7,"window_start":"…"}`.
  std::string key(std::string_view stored_key);
  std::string value(std::string_view stored_value);
  std::vector<JsonMember> value_members(std::string_view stored_value);

 private:
  TableDeclaration table_;
  std::vector<ColumnBuilder> window_, key_, value_;
  std::size_t window_size_ = 0;  ///< bytes
};

}  // namespace weir
