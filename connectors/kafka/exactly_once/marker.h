#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/commit_authority.h"

namespace weir {

/// The text in which a job's group says what was committed last: `weir1 <N> <run>`, or `weir1 <N> <run> moved <name>` when
/// another job went on from there.
std::string marker_text(const Marker& marker, const std::string& moved_to = {});
/// Reads such a text. Nothing when it is none of weir's.
std::optional<AuthorityAnswer> parse_marker(std::string_view text);

/// True for a text of this or another version of weir: `weir<number>`, alone or with more behind it. One that parse_marker
/// cannot read says something that must not be passed over.
bool is_of_weir(std::string_view text);

/// An entry of the group, with the topic on whose partition 0 it lies.
struct MarkerEntry {
  std::string topic;
  AuthorityAnswer answer;
};

/// The entry that counts: the one with the largest number (files whose topics change leave older ones behind). Throws
/// weir::Error (refused) where two of that number name different runs.
std::optional<MarkerEntry> newest_marker(const std::string& group, const std::vector<MarkerEntry>& entries);

}  // namespace weir
