#pragma once

namespace weir {

/// True in a build with AddressSanitizer or ThreadSanitizer: times and memory are several times what users see.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace weir
