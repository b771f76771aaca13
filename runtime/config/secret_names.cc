#include "runtime/config/secret_names.h"

#include <algorithm>
#include <string>

namespace weir {

bool names_a_secret(std::string_view key) {
  std::string lower(key);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr std::string_view kWords[] = {"password", "passwd", "passphrase", "secret", "credential", "token", "jaas", "key.pem", "oauthbearer.config"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace weir
