#pragma once
#include <string_view>

namespace weir {

/// True if what stands under such a key is likely a secret: `sasl.password`, `ssl.key.pem`, `client_secret`, ….
bool names_a_secret(std::string_view key);

/// True if its last word is that of a password, also a misspelt one: `sasl.password`, `keyPassword`, `passwort`, `pwd`.
bool names_a_password(std::string_view key);

}  // namespace weir
