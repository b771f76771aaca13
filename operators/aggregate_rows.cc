#include "operators/aggregate_rows.h"

#include <new>

namespace weir {

AggregateRows::~AggregateRows() {
  if (!calls_.own_memory()) return;
  for (std::uint32_t i = 0; i < slots_; ++i) calls_.clear(row({i}));
}

void AggregateRows::reserve(std::uint32_t slots) {
  while (slots_ < slots) {
    const int block = std::bit_width(slots_ + kFirst) - 1;
    const std::uint32_t count = std::uint32_t{1} << block;
    // Zeroed memory of large blocks costs nothing until a row in it is used.
    auto* memory = static_cast<std::byte*>(std::calloc(std::max<std::size_t>(1, count), std::max<std::size_t>(16, row_size_)));
    static_assert(alignof(std::max_align_t) >= 16);
    if (!memory) throw std::bad_alloc();
    blocks_[static_cast<std::size_t>(block)].reset(memory);
    slots_ += count;
  }
}

}  // namespace weir
