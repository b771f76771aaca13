#pragma once
#include <cstdint>

namespace weir {

/// Up to so many rows of a table are counted; more are estimated (overwritten and deleted ones that compaction has not met
/// count), as are few that lie among very many deleted ones.
inline constexpr std::uint64_t kCountedRows = 1000;

}  // namespace weir
