#include "connectors/kafka/client/topic_name.h"

#include <fmt/format.h>
#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t kLongestName = 249;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

void check_topic_name(std::string_view name, const Location& where, Diagnostics& diagnostics) {
  const auto is_right = [](char c) { return is_word_character(c) || c == '.' || c == '-'; };
  if (std::all_of(name.begin(), name.end(), is_right) && name.size() <= kLongestName && name != "." && name != "..") return;
  const std::string_view variable = name.starts_with('$') ? name.substr(1) : std::string_view();
  const bool is_variable = !variable.empty() && std::all_of(variable.begin(), variable.end(), is_word_character);
  const std::string hint =
      is_variable ? fmt::format("for the value of an environment variable write ${{{}}}", variable)
                  : fmt::format("a topic's name has letters, digits, '.', '_' and '-' only, at most {}", kLongestName);
  diagnostics.error(where, fmt::format("this may not be the name of a topic: '{}'", name), hint);
}

}  // namespace weir
