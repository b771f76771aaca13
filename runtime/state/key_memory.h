#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace weir {

/// Memory for the keys of an index, each at the same place for life. Keys lie in blocks; those of up to 256 bytes are reused
/// by size, larger ones have memory of their own.
class KeyMemory {
 public:
  /// Of keys and blocks.
  std::uint64_t bytes() const { return bytes_; }
  const char* copy(std::string_view key);
  void free(std::string_view key);
  /// Frees a key that has memory of its own: for each key before this goes.
  void free_large(std::string_view key) {
    if (steps_of(key.size()) > kSizes) delete[] key.data();
  }
  /// Gives back all blocks: no key is left.
  void clear();

 private:
  static constexpr std::size_t kStep = 8, kSizes = 32;  ///< small keys come in multiples of kStep bytes
  static constexpr std::size_t kFirstBlock = 64;
  static constexpr std::size_t steps_of(std::size_t size) { return size == 0 ? 1 : (size + kStep - 1) / kStep; }

  std::vector<std::unique_ptr<char[]>> blocks_;
  using FreeLists = std::array<char*, kSizes + 1>;
  /// Free keys by size, each with the place of the next in it. Made with the first: most indexes never have one.
  std::unique_ptr<FreeLists> free_;
  char* block_ = nullptr;
  std::size_t block_left_ = 0, next_block_ = kFirstBlock;  ///< blocks double in size: most windows are small
  std::uint64_t bytes_ = 0;
};

}  // namespace weir
