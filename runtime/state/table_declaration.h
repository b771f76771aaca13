#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/schema.h"
#include "runtime/state/suffix_codec.h"

namespace weir {

/// A state table of a keyed step, declared while the step is bound: all tables are made when the job's store is opened. It
/// also says how its rows are read without the step (`weir state dump`): keys and values are encoded by row_codec.h with
/// these fields.
struct TableDeclaration {
  std::string name;           ///< within the step: `windows`
  std::vector<Field> window;  ///< the parts of a window's name, of fixed size (timestamps); empty: no windows
  std::vector<Field> key;     ///< of row sets with the suffix
  std::vector<Field> value;
  std::string meaning{};  ///< what rows mean beside their types: the window, the expressions. Without semicolons
  /// How the fields of the key sort (suffix_codec.h), for the fields that it has; those behind are plain.
  std::vector<SortOrder> orders{};

  /// One text for manifests: `window_end timestamp; bidder bigint; n bigint, total double; tumbling 1m`. A field of the
  /// key that is not plain says how it sorts: `price bigint desc nulls last`. Two tables hold the same rows if same_schema()
  /// of their texts.
  std::string schema() const;
};

/// True if two schemas say the same: how their expressions are laid out does not count (blanks outside of 'texts').
bool same_schema(std::string_view a, std::string_view b);

/// Reads what TableDeclaration::schema wrote, but for the meaning. Throws Error(kRefused).
TableDeclaration parse_table_schema(const std::string& name, const std::string& schema);

}  // namespace weir
