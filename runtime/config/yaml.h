#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// Limits on what is read: a larger file is refused.
inline constexpr std::size_t kLargestFile = 1 << 20;  ///< bytes
inline constexpr int kDeepestNesting = 64;            ///< mappings and sequences within one another
inline constexpr std::size_t kMostNodes = 100'000;    ///< keys and values

/// Reads one YAML document into a tree of nodes. Nothing is typed, no variable is substituted.
///
/// What does not parse, and YAML that is never meant in a pipeline file (several documents, tags, anchors, aliases, merge
/// keys, duplicate keys, keys that are not text), is reported with what to write instead; nullopt if no tree came of it.
/// Any bytes are safe to pass. The document begins at byte `begin`.
std::optional<Node> parse_yaml(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics, std::size_t begin = 0);

/// Reports keys that occur twice in a mapping, and removes the later ones.
void refuse_duplicate_keys(Node& mapping, Diagnostics& diagnostics);

}  // namespace weir
