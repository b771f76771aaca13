#pragma once
#include <cstddef>
#include <string_view>

#include "runtime/config/node.h"

namespace weir {

/// How the value of a YAML scalar lies in the raw text.
struct ScalarOffsets {
  OffsetMap map;        ///< value byte -> raw byte; the value's size -> the end of its last character
  std::size_t end = 0;  ///< the first raw byte after the scalar, its closing quote included
  bool closed = true;   ///< false: it is quoted, and the text ends before its closing quote
  bool exact = true;    ///< false: value and raw text do not agree somewhere; from there on the map says one place
};

/// Walks the raw text of a scalar that begins at `start` (its quote, block indicator or first character) beside its value,
/// undoing escapes, folding and indentation.
ScalarOffsets map_scalar(std::string_view raw, std::size_t start, ScalarStyle style, std::string_view value);

/// What the raw byte at which a scalar begins says about its style.
ScalarStyle style_at(std::string_view raw, std::size_t start);

}  // namespace weir
