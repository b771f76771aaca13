#include "runtime/base/large_pages.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "runtime/base/machine_memory.h"

namespace weir {

TEST_CASE("large pages: zeroed, all of it writable, aligned where large") {
  const std::size_t bytes =
      GENERATE(1u, 100u, (1u << 20) - 1, 1u << 20, (4u << 20) - 1, 4u << 20, (4u << 20) + 4097, (6u << 20) + 1);
  auto* const memory = static_cast<unsigned char*>(allocate_on_large_pages(bytes));
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % 16 == 0);
  if (bytes >= 4u << 20) CHECK(reinterpret_cast<std::uintptr_t>(memory) % (2u << 20) == 0);
  CHECK(std::accumulate(memory, memory + bytes, std::size_t{0}) == 0);
  std::fill(memory, memory + bytes, static_cast<unsigned char>(7));
  CHECK(std::accumulate(memory, memory + bytes, std::size_t{0}) == 7 * bytes);
  free_large_pages(memory, bytes);
}

TEST_CASE("large pages: what is not used takes up no memory, what is freed goes back") {
  const std::size_t bytes = 256u << 20;
  const std::uint64_t before = resident_memory();
  auto* const memory = static_cast<char*>(allocate_on_large_pages(bytes));
  memory[bytes / 2] = 1;
  CHECK(resident_memory() < before + (16u << 20));
  std::fill(memory, memory + bytes, static_cast<char>(1));
  CHECK(resident_memory() > before + bytes / 2);
  free_large_pages(memory, bytes);
  CHECK(resident_memory() < before + (16u << 20));
}

TEST_CASE("large pages: memory of a vector") {
  std::vector<std::uint64_t, LargePages<std::uint64_t>> numbers;
  for (std::uint64_t i = 0; i < 3'000'000; ++i) numbers.push_back(i);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < numbers.size(); ++i) wrong += numbers[i] != i;
  CHECK(wrong == 0);
}

}  // namespace weir
