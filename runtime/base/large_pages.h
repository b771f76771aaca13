#pragma once
#include <cstddef>
#include <new>

namespace weir {

/// Zeroed memory for a large array that is read in no order: on pages of 2 MiB where the system has them (transparent huge
/// pages), since the addresses of small ones would miss the processor's table of pages. Only small arrays come from the
/// heap. A page takes part in RSS when something in it is written. Throws std::bad_alloc.
void* allocate_on_large_pages(std::size_t bytes);
/// `bytes` as they were asked for.
void free_large_pages(void* memory, std::size_t bytes) noexcept;

/// That, for a std::vector.
template <typename T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_on_large_pages(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) noexcept { free_large_pages(p, n * sizeof(T)); }
  bool operator==(const LargePages&) const = default;
};

}  // namespace weir
