#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/expr/expression.h"

namespace weir {

/// A character that looks like one of SQL or YAML but is another: typographic quotes, blanks that are none, full-width
/// forms, `≥`.
struct LookAlike {
  std::string_view bytes;  ///< UTF-8
  std::string_view name;   ///< `a no-break space (U+00A0)`
  std::string_view meant;  ///< what to write instead; empty: nothing
  bool is_blank() const { return meant.empty() || meant == " "; }
  bool is_quote() const { return meant == "'" || meant == "\""; }
};

/// The one at the beginning of the text, or null.
const LookAlike* look_alike_at(std::string_view text);

namespace expr {

/// What an expression has outside of its quotes and comments that is no SQL but looks like it: a look-alike, or backticks
/// around a name.
std::optional<ExpressionError> other_notation(std::string_view text);

/// What to write where PostgreSQL's grammar stopped at byte `at` with `message`: the notation of another dialect or language
/// that is likely meant there; "" for none.
std::string notation_hint(std::string_view text, std::size_t at, std::string_view message);

/// What to write for a function of another dialect: `write coalesce(x, y)` for `ifnull`; "" where nothing is known.
std::string_view function_of_other_dialect(std::string_view name);

/// The same for an operator, in lower case letters: `write and` for `&&`.
std::string_view operator_of_other_dialect(std::string_view symbol);

}  // namespace expr
}  // namespace weir
