#pragma once
#include <string>
#include <string_view>

namespace weir {

/// The secrets of the process: what `${file:PATH}` and the keys for passwords hold. Kept so that no text that leaves the
/// program as a diagnostic, error or log line shows one. Any thread.

/// Remembers a secret, and each line of it. Texts of less than four bytes are not kept: they are in every other word.
void register_secret(std::string_view secret);
/// The text with `***` in the place of every secret, in upper or lower case.
std::string masked(std::string text);
/// True if there is anything to mask.
bool has_secrets();

}  // namespace weir
