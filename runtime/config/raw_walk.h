#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace weir {

/// What a rough reading of YAML text from its beginning says about one place in it. Used to explain why a parser gave up
/// there; it knows quotes, comments, { } and [ ], block scalars and round brackets, and never fails.
struct RawContext {
  std::vector<std::size_t> open;         ///< the { and [ that are open
  std::size_t token = 0;                 ///< where the key or value that the place belongs to begins
  bool is_value = false;                 ///< that token follows a colon or a dash
  std::optional<std::size_t> quote_end;  ///< the token is quoted and ended before the place
  bool in_quote = false;                 ///< the token is quoted and has not ended
  std::optional<std::size_t> split;      ///< where a value began that YAML cut within round brackets or a text in quotes
  char split_by = ',';                   ///< what cut it: a comma, or a bracket of YAML's within a text: `who = 'a}b'`
};

RawContext raw_context(std::string_view raw, std::size_t place);

/// True if `quote` at `at` begins a text of an expression: no letter or digit stands before it, as in `it's`, and it is
/// closed in its line.
bool begins_text(std::string_view raw, std::size_t at);

/// The end of the value that begins at `start`, as the user will have meant it: in { } and [ ] the next comma or closing
/// bracket outside of round brackets and quotes, else the end of the line or a comment.
std::size_t intended_end(std::string_view raw, std::size_t start, bool in_flow);

}  // namespace weir
