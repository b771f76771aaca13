#pragma once
#include <string>
#include <string_view>

#include "runtime/data/buffer.h"

namespace weir {

/// Base64 with padding (RFC 4648 §4).
constexpr std::size_t base64_size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }
/// Writes base64_size(bytes.size()) characters at `to`; returns their end.
char* write_base64(char* to, std::string_view bytes);
void append_base64(std::string& out, std::string_view bytes);
/// Appends the bytes that `text` stands for. False if it is not base64; then `out` is as it was.
bool append_decoded_base64(std::string& out, std::string_view text);

}  // namespace weir
