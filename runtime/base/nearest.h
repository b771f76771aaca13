#pragma once
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// Counts the insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, by bytes and without
/// regard to ASCII case ("optimal string alignment").
int edit_distance(std::string_view a, std::string_view b);

/// Finds the candidate that `name` most likely stands for: the nearest one within a third of its length (at least one
/// edit), or one that is equal but for case, `_` and `-`. The first of equally near ones; "" if none is near.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// `did you mean NAME?`, or "" if nothing is near.
std::string nearest_hint(std::string_view name, std::span<const std::string> candidates);

}  // namespace weir
