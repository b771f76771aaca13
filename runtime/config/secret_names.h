#pragma once
#include <string_view>

namespace weir {

/// True if what stands under such a key is likely a secret: `sasl.password`, `ssl.key.pem`, `client_secret`, ….
bool names_a_secret(std::string_view key);

}  // namespace weir
