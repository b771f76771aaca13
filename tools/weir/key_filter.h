#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/state/table_declaration.h"

namespace weir {

/// Which rows of one table have a key with the values that were asked for.
class TableFilter {
 public:
  /// `wanted`: the number of a part of the stored key (windows first) and its value as keys are encoded.
  TableFilter(const TableDeclaration& table, std::vector<std::pair<std::size_t, std::string>> wanted);
  /// Compares bytes: nothing is decoded.
  bool takes(std::string_view stored_key) const;

 private:
  std::vector<Type> types_;  ///< of all parts
  std::size_t windows_;
  std::vector<std::pair<std::size_t, std::string>> wanted_;  ///< by part, ascending
};

/// What `--key` asks for: a JSON object whose members are columns of keys. Each table reads the values with the types of its
/// own key, as the json format does, so that it does not matter how a value is written.
class KeyFilter {
 public:
  /// Empty text asks for all rows. Throws Error(kUser) for what is no JSON object.
  explicit KeyFilter(const std::string& text);

  bool empty() const { return names_.empty(); }
  const std::string& text() const { return text_; }
  /// The filter of a table; nothing where its key lacks a column or a value does not fit a type: no row of it can match.
  std::optional<TableFilter> of(const std::string& step, const TableDeclaration& table);
  /// Throws Error(kUser) that says why no table that of() was asked for can have such a key.
  void require_fit() const;

 private:
  bool is_no_text(const Field& field) const;

  std::string text_;
  std::vector<std::string> no_texts_;  ///< members whose values are neither texts nor null
  std::vector<std::string> names_;     ///< members
  std::vector<std::string> unknown_;   ///< those that no key has had so far
  bool fits_ = false;
  std::string misfit_;             ///< of a value, why
  std::vector<std::string> keys_;  ///< `counted windows (k bigint)`, of all tables
};

}  // namespace weir
