#pragma once
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// `did you mean NAME?` for the candidate that is spelt nearly so, or that other programs call by this word (`where`:
/// filter, `beginning`: earliest, `stdout`: console); "" where there is none.
std::string known_as_hint(std::string_view word, std::span<const std::string> candidates);

}  // namespace weir
