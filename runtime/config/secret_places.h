#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace weir {

/// The bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0, end = 0;
};

/// Finds where a pipeline file (or a `--set`) likely holds secrets: behind keys that name one (secret_names.h), in YAML that
/// parses or not, in comments, and between `user:` and the `@` of an address. In rising order.
///
/// Works on the raw text alone, so that nothing depends on what was read, replaced or dropped later. Rather takes too much
/// than too little: what is cut by a comma or a comment, ends early at a quote, or goes on in the next lines counts as part
/// of the secret. Linear in the text.
std::vector<TextRange> secret_places(std::string_view raw);

}  // namespace weir
