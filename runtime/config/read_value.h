#pragma once
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/config_value.h"

namespace weir {

/// Reads single values as their fields say; the reader of mappings (read.cc) and this call one another.
class ValueReader {
 public:
  explicit ValueReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The value, or nullopt where a problem was reported.
  std::optional<ConfigValue> read(const ConfigField& field, const Node& node);
  /// The value that a field has where it is not written.
  std::optional<ConfigValue> read_default(const ConfigField& field, const Location& mapping);
  /// Masks all scalars of a value that nothing reads, where their lines are shown.
  void conceal(const Node& node);

 private:
  std::optional<ConfigValue> scalar(const ConfigField& field, const Node& node);
  std::optional<ConfigValue> list(const ConfigField& field, const Node& node);
  bool columns_are_there_once(const std::vector<Text>& names);
  std::optional<ConfigValue> map(const ConfigField& field, const Node& node);
  std::optional<ConfigValue> selection(const ConfigField& field, const Node& node);
  std::optional<ConfigValue> object(const ConfigField& field, const Node& node);
  std::optional<ConfigValue> one_of(const ConfigField& field, const Node& node);
  const ConfigField* find_form(const ConfigField& field, const Node& node);
  /// An item of a list or mapping as a config, in which a scalar is called `name`; scalars are added to `texts`.
  std::optional<Config> element(const ConfigField& field, const std::string& name, const Node& node,
                                std::vector<Text>& texts);
  SelectItem select_item(const Node::Entry& entry);
  void star(const Node& node, SelectItem& item);
  /// False, and reported, where the node is not of that kind.
  bool expect(const ConfigField& field, const Node& node, Node::Kind kind);
  bool check_expression(const Node& node, bool may_be_column);
  bool is_cut_by_comment(const Node& node, bool may_be_column);
  void check_syntax(const Node& node);
  void check_type(const NamedText& column);
  void hide_secret(const Node& node);

  Diagnostics& diagnostics_;
};

/// `fail, skip or emit`.
std::string listed(const std::vector<std::string>& words);
/// A bound of the field as people write it: `16MiB`, `1s`, `3`.
std::string quantity(const ConfigField& field, std::int64_t value);
/// What a field expects, for messages: `a duration`, `fail, skip or emit`.
std::string expectation(const ConfigField& field);
/// An example of a value of the field, as a hint; "" if there is none.
std::string example_hint(const ConfigField& field);

}  // namespace weir
