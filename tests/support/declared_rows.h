#pragma once
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/state/table_delta.h"

namespace weir {

/// What a keyed step says of its tables and of the way its rows come, checked against what it does. Throws
/// std::runtime_error where they differ.
class DeclaredRows {
 public:
  explicit DeclaredRows(const BoundStep& step);

  /// Rows of this schema come to a keyed step by the hash of columns that its tables' keys begin with.
  void check_exchange(int input, const Schema& schema) const;
  /// Every row put is read by the declaration of its table, and lies in the key group by which rows of its key come.
  void check(std::size_t table, const TableDelta& delta) const;

 private:
  void check_row(const TableDeclaration& table, const TableDelta::Entry& row) const;

  const BoundStep& step_;
  const std::vector<TableDeclaration> tables_;
  std::size_t parts_ = 0;  ///< of the key by which rows come
};

/// The names of a step's tables in a store.
std::vector<std::string> table_names(const BoundStep& step);

}  // namespace weir
