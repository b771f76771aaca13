#pragma once
#include <cstddef>

namespace weir {

/// The lowest `bits` bits of a number in reverse. Counting on, these come in an order that is spread over all of them.
constexpr std::size_t reversed_bits(std::size_t number, int bits) {
  std::size_t result = 0;
  for (int i = 0; i < bits; ++i) result |= (number >> i & 1) << (bits - 1 - i);
  return result;
}

}  // namespace weir
