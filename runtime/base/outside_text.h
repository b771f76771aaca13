#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

/// Text that came from outside (a broker's metadata, a file of another program) as it may be quoted in a log line or a
/// message: printable() of it; of more than `most` bytes the first ones are taken, and `…`.
std::string outside_text(std::string_view text, std::size_t most = 100);

}  // namespace weir
