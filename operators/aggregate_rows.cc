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
    const std::size_t size = std::max<std::size_t>(16, count * row_size_);
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(16, size));
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, size);
    blocks_[static_cast<std::size_t>(block)].reset(memory);
    slots_ += count;
  }
}

}  // namespace weir
