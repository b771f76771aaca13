#include "runtime/config/secret_names.h"

#include <algorithm>
#include <string>

#include "runtime/base/nearest.h"

namespace weir {
namespace {

constexpr std::string_view kSeparators = "._-";
constexpr std::size_t kLongestWord = 12;  ///< of a misspelt `password`

/// The word behind the last `.`, `_` or `-`.
std::string_view last_word(std::string_view key) {
  const std::size_t at = key.find_last_of(kSeparators);
  return at == std::string_view::npos ? key : key.substr(at + 1);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

}  // namespace

bool names_a_password(std::string_view key) {
  const std::string word = in_lower_case(last_word(key));
  if (word == "pwd" || word == "pass" || word.ends_with("password") || word.ends_with("passwd") ||
      word.ends_with("passphrase"))
    return true;
  return word.starts_with("pas") && word.size() <= kLongestWord && edit_distance(word, "password") <= 2;
}

bool names_a_secret(std::string_view key) {
  if (names_a_password(key)) return true;
  const std::string lower = in_lower_case(key);
  constexpr std::string_view kWords[] = {"password", "passwd",  "passphrase",        "secret", "credential", "token",
                                         "jaas",     "key.pem", "oauthbearer.config"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace weir
