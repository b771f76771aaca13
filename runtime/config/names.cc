#include "runtime/config/names.h"

#include <fmt/format.h>
#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t kLongest = 100;  ///< bytes of a name: it becomes part of file names and of transactional ids
constexpr const char* kRule = "a name begins with a letter, then letters, digits, _ and -";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool goes_on(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }

}  // namespace

bool is_component_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongest && is_letter(text[0]) && std::all_of(text.begin(), text.end(), goes_on);
}

bool check_component_name(const Node& key, Diagnostics& diagnostics) {
  if (is_component_name(key.text)) return true;
  if (key.text.size() > kLongest)
    diagnostics.error(key.location, fmt::format("this name is too long: {} bytes, at most {}", key.text.size(), kLongest));
  else diagnostics.error(key.location, fmt::format("this may not be a name: {}", key.shown()), kRule);
  return false;
}

bool check_output_name(const std::string& name, const Location& where, Diagnostics& diagnostics) {
  if (name == "late" || name == "errors" || name == "rest") {
    diagnostics.error(where, fmt::format("an output may not be called '{}'", name),
                      "late, errors and rest are outputs with a meaning of their own");
    return false;
  }
  if (is_component_name(name)) return true;
  diagnostics.error(where, fmt::format("this may not be the name of an output: '{}'", name), kRule);
  return false;
}

bool check_job_name(const Text& name, Diagnostics& diagnostics) {
  const std::string& text = name.text;
  const bool begins_well = !text.empty() && (is_letter(text[0]) || is_digit(text[0]));
  const bool goes_well = std::all_of(text.begin(), text.end(), [](char c) { return goes_on(c) || c == '.'; });
  if (begins_well && goes_well && text.size() <= kLongest) return true;
  diagnostics.error(
      name.location, "this may not be the name of a job",
      fmt::format("it begins with a letter or digit, then letters, digits, _, - and dots, at most {}", kLongest));
  return false;
}

}  // namespace weir
