#include "runtime/base/large_pages.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>
#include <cstdlib>

namespace weir {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20, kLarge = 2 * kPage;
/// From here on the system is asked, since the heap may write zeros into all of it.
constexpr std::size_t kMapped = 1 << 20;

char* map(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

}  // namespace

void* allocate_on_large_pages(std::size_t bytes) {
  if (bytes < kMapped) {
    void* const memory = std::calloc(1, bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  if (bytes < kLarge) return map(bytes);
  // One page more, so that a piece of it begins where a page does; what lies around that piece goes back.
  char* const mapped = map(bytes + kPage);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) & (kPage - 1);
  char* const begin = mapped + before;
  if (before > 0) munmap(mapped, before);
  const auto small = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const end = begin + (bytes + small - 1) / small * small;
  munmap(end, static_cast<std::size_t>(mapped + bytes + kPage - end));
#ifdef MADV_HUGEPAGE
  madvise(begin, bytes, MADV_HUGEPAGE);  // refused where there are none
#endif
  return begin;
}

void free_large_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < kMapped) std::free(memory);
  else munmap(memory, bytes);
}

}  // namespace weir
