#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// One form of a function, operator or construct of expressions, for the reference.
struct FunctionDoc {
  std::string name;       ///< `upper`, `+`, `case`
  std::string form;       ///< `upper(varchar) → varchar`, `int + int → int`
  std::string doc;        ///< one line
  std::string example;    ///< an expression without columns; of an aggregate function a call over some
  std::string group;      ///< heading
  std::string note = {};  ///< a second line: what it costs
};

/// Everything that may stand in an expression, by group, then in the order of the reference. Any thread.
const std::vector<FunctionDoc>& function_docs();

/// Functions of expressions and, in a section of their own, aggregate functions.
/// What `weir functions` prints: names and their first lines, by group.
std::string function_list();
/// What `weir functions NAME` prints: all forms with examples and their values; nothing if there is no such name.
std::optional<std::string> function_reference(std::string_view name);
/// `did you mean NAME?` for a name that has no reference, or "".
std::string function_name_hint(std::string_view name);

}  // namespace weir
