#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace weir {

/// The number of a checkpoint, and of the rows between barrier N-1 and barrier N. Rises, is never reused; 0 is "none".
struct Epoch {
  std::uint64_t value = 0;
  auto operator<=>(const Epoch&) const = default;
  Epoch next() const { return {value + 1}; }
};

/// One life of a job: from a claim to the end of the attempt. 16 random hexadecimal digits.
struct RunId {
  std::string value;
  auto operator<=>(const RunId&) const = default;
};

}  // namespace weir
