#include "tools/weir/allocator.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace weir {

void settle_allocator() {
#ifdef __GLIBC__
  // Setting it also stops it from growing. Columns of batches are smaller, and stay cheap.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_ARENA_MAX, 4);
#endif
}

}  // namespace weir
