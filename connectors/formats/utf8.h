#pragma once
#include <string_view>

namespace weir {

/// True if all bytes are well-formed UTF-8. Fast (SIMD where the machine has it).
bool is_utf8(std::string_view bytes);

}  // namespace weir
