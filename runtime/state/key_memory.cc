#include "runtime/state/key_memory.h"

#include <algorithm>
#include <cstring>

namespace weir {

const char* KeyMemory::copy(std::string_view key) {
  constexpr std::size_t kLargestBlock = 16 << 10;
  const std::size_t steps = steps_of(key.size());
  char* at = nullptr;
  if (steps > kSizes) {
    at = new char[key.size()];
    bytes_ += key.size();
  } else if (free_ && (*free_)[steps]) {
    at = (*free_)[steps];
    std::memcpy(&(*free_)[steps], at, sizeof(char*));
  } else {
    if (block_left_ < steps * kStep) {
      block_left_ = std::max(next_block_, steps * kStep);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_left_));
      block_ = blocks_.back().get();
      bytes_ += block_left_;
      next_block_ = std::min(2 * next_block_, kLargestBlock);
    }
    at = block_;
    block_ += steps * kStep;
    block_left_ -= steps * kStep;
  }
  std::copy(key.begin(), key.end(), at);
  return at;
}

void KeyMemory::free(std::string_view key) {
  const std::size_t steps = steps_of(key.size());
  if (steps > kSizes) {
    delete[] key.data();
    bytes_ -= key.size();
    return;
  }
  if (!free_) free_ = std::make_unique<FreeLists>();
  char* const at = const_cast<char*>(key.data());
  std::memcpy(at, &(*free_)[steps], sizeof(char*));
  (*free_)[steps] = at;
}

void KeyMemory::clear() {
  blocks_ = std::vector<std::unique_ptr<char[]>>();
  free_.reset();
  block_ = nullptr;
  block_left_ = 0;
  next_block_ = kFirstBlock;
  bytes_ = 0;
}

}  // namespace weir
